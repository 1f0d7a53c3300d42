/**
 * Code and discussions in the page, in a real Chromium: lines, histories, changes and long diffs are read, and
 * hostile texts of all kinds stay texts.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { parseNid } from "../../src/ids/nid.ts";
import { atPath, branchOfNode, inRepository } from "../../extensions/page/browser/places.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { copyDemoHome } from "../support/demo_home.ts";
import { commitOf, GitRepository } from "../support/git.ts";
import { ROOT, RUNTIMES, type Service, startService } from "../support/programs.ts";
import type { Page } from "./browser_process.ts";
import { startPageTests } from "./page_browser.ts";
import { clickIn, goTo, setHash, textsOf, titleOf, waitFor } from "./page_steps.ts";

/** Lines of a long diff, and files of a wide one. */
const LONG = { lines: ALL_WANTED ? 20_000 : 8000, files: 300 };
/** Of DOMPurify's payloads, every so many-th is shown as source, too. */
const SOURCE_STEP = ALL_WANTED ? 1 : 5;
/** Most elements that one task may draw: a few milliseconds of work. */
const MAX_DRAWN_AT_ONCE = 2000;

/** Ways by which a text could become a script, each in its own class; a script would change the title. */
const RUN = "document.title='ran'";
const PAYLOADS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<svg><style><img src=x onerror="${RUN}"></style></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${RUN}&gt;">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript>`,
  `<template><img src=x onerror="${RUN}"></template>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<object data="javascript:${RUN}"></object><embed src="javascript:${RUN}">`,
  `<a href="javascript:${RUN}" id=link>link</a> [link](javascript:${RUN}) [link](JaVaScRiPt:${RUN})`,
  `[link](&#x6A;avascript:${RUN}) <a href="&#1;javascript:${RUN}">link</a> [link](data:text/html,<script>${RUN}</script>)`,
  `![x](javascript:${RUN}) ![x](x"onerror="${RUN})`,
  `<details open ontoggle="${RUN}">x</details><video><source onerror="${RUN}"></video><input autofocus onfocus="${RUN}">`,
  `<style>@import 'https://foreign.example/x.css'; body { display: none }</style><p style="position:fixed;inset:0">x</p>`,
  `<base href="https://foreign.example/"><meta http-equiv="refresh" content="0;url=https://foreign.example/"><link rel=stylesheet href=x>`,
  `<img name=body src=x><form id=main><input name=attributes></form><a id=L1 name=cookie>x</a>`,
  `<b is="x-element" onmouseover="${RUN}">x</b><custom-element onclick="${RUN}">x</custom-element>`,
  '```html\n<img src=x onerror="' + RUN + '">\n```\n`<img src=x onerror=' + RUN + ">`",
  `\`\`\`"><img src=x onerror=${RUN}>\nx\n\`\`\``,
];
const NAME = `<img src=x onerror=${RUN.replaceAll("/", "")}>`;

const { folder, open } = startPageTests("page-reading");

// The page reads answers of the API. The replays compare these on each runtime, so that one service is enough here.
for (const runtime of ALL_WANTED ? RUNTIMES : RUNTIMES.slice(0, 1)) {
  describe(`reading in the page of xylem on ${runtime}`, () => {
    let service: Service, page: Page, rid: string, nid: string, git: GitRepository;
    // The page is the same on each runtime: once is enough for what only the browser decides.
    const isFirst = runtime === RUNTIMES[0];

    // A home of its own: nobody reviews a revision twice.
    const home = join(folder, runtime);

    before(async () => {
      await copyDemoHome(home);
      service = await startService(runtime, home);
      nid = (await ask("/node")).id;
      const projects = await ask("/projects?show=all");
      rid = projects.find(({ name }: { name: string }) => name === "xylem-demo").id;
      git = new GitRepository(join(home, "storage", rid.slice("rad:".length)));
      page = await open(`${service.url}/`);
      await page.emulate({ width: 1100, height: 800, scheme: "light" });
    });
    after(() => service?.stop());

    // deno-lint-ignore no-explicit-any -- members depend on the path
    const ask = async (path: string): Promise<any> =>
      await (await fetch(`${service.url}/api/v1${path}`)).json();
    const go = (hash: string, heading: string) => page.run(goTo, hash, heading);
    const text = async (selector: string) => (await page.run(textsOf, selector)).join("\n");

    it("shows a file: lines, colours, the lines of the address, raw, markdown, pictures", async () => {
      await go(atPath(rid, "blob", "main", "src/tree.ts", { lines: "3-5" }), "xylem-demo/src/tree.ts");
      await page.run(waitFor, ".code .t-keyword", "readonly");
      await page.run(waitFor, ".line.marked", "rings");
      assert.equal((await page.run(textsOf, ".line.marked")).length, 3);
      await page.run(clickIn, "#L8 a");
      await page.run(waitFor, ".line.marked", "plant");
      assert.match(await page.run(address), /[?]lines=8$/);
      const here = await page.run(address);
      await page.visit("about:blank");
      await page.visit(here);
      await page.run(waitFor, ".line.marked", "plant");
      const [raw] = await page.run(linksOut, ".tools a[target=_blank]");
      assert.deepEqual(raw, [`${service.url}/raw/${rid}/main/src/tree.ts`, "noopener noreferrer"]);
      await go(atPath(rid, "blob", "main", "assets/leaf.png"), "xylem-demo/assets/leaf.png");
      await page.run(waitFor, ".picture img[src^='data:image/png']", "");
      await go(atPath(rid, "blob", "main", "README.md"), "xylem-demo/README.md");
      await page.run(waitFor, ".markdown h2", "xylem-demo");
      assert.deepEqual(page.errors(), []);
    });

    it("shows histories of a file and of a node's branch, a commit, a comparison in two columns", async () => {
      await go(atPath(rid, "commits", "main", "src/tree.ts"), "History of tree.ts");
      await page.run(waitFor, ".rows", "Add the tree");
      await go(atPath(rid, "commits", branchOfNode(nid, "feature/birds")), "Commits");
      await page.run(waitFor, ".rows .subject", "");
      await go(inRepository(rid, ["commit", "main"]), "Merge patch: Spell chlorophyll");
      await page.run(waitFor, ".row.addition", "chlorophyll");
      await go(inRepository(rid, ["compare", branchOfNode(nid, "feature/birds"), "main"]), "Compare");
      await page.run(clickIn, '[aria-pressed="false"]');
      await page.run(waitFor, ".row.split", "");
      await page.run(clickIn, '[aria-pressed="false"]');
      assert.deepEqual(page.errors(), []);
    });

    it("goes back to the same place on the screen", { skip: !isFirst }, async () => {
      await page.emulate({ width: 1100, height: 300, scheme: "light" });
      await go(atPath(rid, "commits", "main"), "Commits");
      await page.run(waitFor, ".rows .subject", "Start the project");
      const y = await page.run(scrollToEnd);
      await page.run(clickIn, ".day:last-of-type .subject");
      await page.run(waitFor, ".row.addition", "");
      assert.ok(await page.run(goBackTo, y), "is elsewhere");
      await page.emulate({ width: 1100, height: 800, scheme: "light" });
    });

    it(
      "draws long diffs in parts, so that the tab is never blocked for long",
      { skip: !isFirst },
      async (test) => {
        const base = commitOf(git, { "long.txt": "start\n" });
        const long = commitOf(git, {
          "long.txt": Array.from({ length: LONG.lines }, (_, i) => `line ${i}`).join("\n"),
          ...Object.fromEntries(
            Array.from({ length: LONG.files }, (_, i) => [`file${i}.txt`, `one\ntwo\n${i}\n`]),
          ),
        });
        const other = await open(`${service.url}/${inRepository(rid)}`);
        await other.run(waitFor, ".markdown h3", "");
        await other.run(watchTasks);
        await other.run(setHash, inRepository(rid, ["compare", base, long]));
        await other.run(waitFor, "h2", `${LONG.files + 1} changed files`);
        await other.run(waitFor, `#file-${LONG.files}`, "long.txt");
        // Folded until somebody asks for it.
        await other.run(clickIn, `#file-${LONG.files} summary`);
        await other.run(waitUntilDrawn, `#file-${LONG.files}`, LONG.lines);
        const { drawn, blockedMs } = await other.run(watched);
        // The time depends on what else the machine does.
        test.diagnostic(`at most ${drawn} elements at once, blocked for at most ${blockedMs} ms`);
        assert.ok(drawn <= MAX_DRAWN_AT_ONCE, `${drawn} elements at once`);
      },
    );

    it("shows an issue with its discussion, reactions and pictures", async () => {
      await go(inRepository(rid, ["issues"], { state: "closed", label: "bug" }), "Issues");
      await page.run(waitFor, ".rows .subject", "Leaves fall up");
      assert.equal((await page.run(textsOf, ".rows .subject")).length, 1);
      await page.run(clickIn, ".rows .subject");
      await page.run(waitFor, ".note-head", "edited");
      await go(inRepository(rid, ["issues"]), "Issues");
      await page.run(waitFor, ".rows .subject", "Print the rings");
      await page.run(clickIn, ".rows li:nth-last-child(2) .subject");
      await page.run(waitFor, ".embeds", "leaf.png");
      await page.run(waitFor, ".markdown img[src^='data:image/png']", "");
      assert.deepEqual(page.errors(), []);
    });

    it("shows a patch: revisions, reviews, and comments at their lines", async () => {
      await go(inRepository(rid, ["patches"], { state: "open" }), "Patches");
      await page.run(waitFor, ".rows .subject", "Water the trees");
      const patches = await ask(`/projects/${rid}/patches`);
      const patch = patches.find(({ title }: { title: string }) => title === "Water the trees");
      const place = { revision: patch.id, tab: "changes" };
      await go(inRepository(rid, ["patches", patch.id], place), "Water the trees");
      await page.run(waitFor, ".notes .note-box", "how much was poured");
      assert.equal(await page.run(rowAbove, ".notes"), "8");
      await go(inRepository(rid, ["patches", patch.id]), "Water the trees");
      await page.run(waitFor, ".review.accept", "Works in my garden.");
      assert.deepEqual(page.errors(), []);
    });

    it("shows hostile titles, texts, names and branches as texts", { skip: !isFirst }, async () => {
      const before = page.errors().length;
      const token = await openAuthorized(
        service.url,
        await openSigner({ home, nodeId: parseNid(nid), fileSystem })(),
      );
      const post = async (title: string, description: string): Promise<string> => {
        const response = await fetch(`${service.url}/api/v1/projects/${rid}/issues`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ title, description, labels: ["<b>x"], assignees: [], embeds: [] }),
        });
        return (await response.json()).id;
      };
      for (const payload of PAYLOADS) {
        const title = payload.replaceAll("\n", " ");
        const id = await post(title, payload);
        await go(inRepository(rid, ["issues", id]), title);
        await page.run(waitFor, ".note-box .markdown:not([hidden])", "");
        assert.deepEqual(await page.run(forbidden), [], payload);
      }
      await page.run(waitFor, "h1", PAYLOADS.at(-1)!.replaceAll("\n", " "));
      const commit = commitOf(git, { [NAME]: NAME, "README.md": PAYLOADS.join("\n\n") });
      git.text(["update-ref", `refs/heads/${NAME.replaceAll(" ", "-")}`, commit]);
      await go(atPath(rid, "tree", commit), "xylem-demo");
      await page.run(waitFor, ".readme .markdown:not([hidden])", "");
      assert.ok((await text(".files")).includes(NAME));
      assert.deepEqual(await page.run(forbidden), []);
      await go(atPath(rid, "blob", commit, NAME), `xylem-demo/${NAME}`);
      await page.run(waitFor, ".code", NAME);
      await go(atPath(rid, "tree", NAME.replaceAll(" ", "-")), "xylem-demo");
      await page.run(waitFor, ".revision", NAME.replaceAll(" ", "-"));
      assert.doesNotMatch(await page.run(titleOf), /^ran/);
      // Where DOMPurify parses them, apart from the page, the policy refuses them before they are removed. A picture
      // in the readme is not there.
      const others = page.errors().slice(before).filter((text) =>
        !/The action has been blocked/.test(text) && !text.includes(`/raw/${rid}/${commit}/x`)
      );
      assert.deepEqual(others, []);
    });

    it(
      "runs no script of DOMPurify's own payloads, as a text or as a file",
      { skip: !isFirst },
      async (test) => {
        const payloads: string[] = JSON.parse(
          readFileSync(join(ROOT, "test/fixtures/dompurify.json"), "utf8"),
        );
        const names = payloads.map((_, i) => `${i}.md`);
        const commit = commitOf(git, Object.fromEntries(names.map((name, i) => [name, payloads[i]!])));
        // Chromium lets a page go to some 200 places in ten seconds.
        for (let start = 0; start < payloads.length; start += 50) {
          const other = await open(`${service.url}/${inRepository(rid)}`);
          await other.run(noteScripts);
          for (const [i, payload] of [...payloads.entries()].slice(start, start + 50)) {
            await other.run(goTo, atPath(rid, "blob", commit, names[i]!), `xylem-demo/${names[i]}`);
            // Drawn, or shown as it is where it is no document, or a file that is no text.
            const shown = ":is(.markdown:not([hidden]), .as-it-is, .empty)";
            await other.run(waitFor, `main:not(:has(.waiting)) ${shown}`, "");
            assert.deepEqual(await other.run(forbidden), [], payload);
            // As source, each is a text in a line.
            if (i % SOURCE_STEP !== 0) continue;
            await other.run(setHash, atPath(rid, "blob", commit, names[i]!, { as: "source" }));
            await other.run(waitFor, "main :is(.code, .empty)", "");
            assert.deepEqual(await other.run(forbidden), [], payload);
          }
          assert.deepEqual(await other.run(notedScripts), []);
          assert.doesNotMatch(await other.run(titleOf), /^ran/);
        }
        assert.ok(payloads.length > 200);
        test.diagnostic(`${payloads.length} payloads, no script has run`);
      },
    );
  });
}

// What follows runs in pages: each function stands for itself.

function address(): Promise<string> {
  return Promise.resolve(location.href);
}

function linksOut(selector: string): Promise<[href: string, rel: string][]> {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(selector)];
  return Promise.resolve(links.map(({ href, rel }) => [href, rel]));
}

/** Number of the line above an element. */
function rowAbove(selector: string): Promise<string | undefined> {
  const row = document.querySelector(selector)!.previousElementSibling;
  return Promise.resolve([...row!.querySelectorAll(".no")].at(-1)?.textContent);
}

async function scrollToEnd(): Promise<number> {
  scrollTo(0, document.documentElement.scrollHeight);
  // Until it is noted in the history of the tab.
  while (history.state?.y !== scrollY || scrollY === 0) await new Promise((resume) => setTimeout(resume));
  return scrollY;
}

/** Goes back; whether the screen shows the place where it was, soon or on a machine that does other things. */
async function goBackTo(y: number): Promise<boolean> {
  history.back();
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    await new Promise((resume) => setTimeout(resume));
    if (scrollY === y && document.querySelector("h1")?.textContent === "Commits") return true;
  }
  return false;
}

/** Notes from now on how much tasks draw, and for how long they block the page. */
function watchTasks(): Promise<void> {
  const seen = Object.assign(globalThis as unknown as { drawn: number; blockedMs: number }, {
    drawn: 0,
    blockedMs: 0,
  });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.blockedMs = Math.max(seen.blockedMs, duration);
  }).observe({ type: "longtask" });
  new MutationObserver((records) => {
    const added = records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) =>
      node instanceof Element
    );
    const drawn = added.reduce((sum, element) => sum + 1 + element.getElementsByTagName("*").length, 0);
    seen.drawn = Math.max(seen.drawn, drawn);
  }).observe(document.body, { childList: true, subtree: true });
  return Promise.resolve();
}

function watched(): Promise<{ drawn: number; blockedMs: number }> {
  const { drawn, blockedMs } = globalThis as unknown as { drawn: number; blockedMs: number };
  return Promise.resolve({ drawn, blockedMs });
}

/** Waits until all lines of a file are drawn; counts them seldom, as it takes long. */
async function waitUntilDrawn(selector: string, lines: number): Promise<void> {
  const rows = document.querySelector(selector)!.getElementsByClassName("row");
  while (rows.length < lines) await new Promise((resume) => setTimeout(resume, 200));
}

/** Notes which dialogs scripts open from now on, in place of opening them. */
function noteScripts(): Promise<void> {
  const noted: string[] = [];
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) {
    Object.assign(globalThis, { [name]: () => noted.push(name) });
  }
  Object.assign(globalThis, { noted });
  return Promise.resolve();
}

function notedScripts(): Promise<string[]> {
  return Promise.resolve((globalThis as unknown as { noted: string[] }).noted);
}

/** Elements and attributes that no text may bring into the page. */
function forbidden(): Promise<string[]> {
  const main = document.querySelector("main")!;
  const elements = main.querySelectorAll(
    "script, style, iframe, object, embed, link, meta, base, template, .markdown form, .markdown input, math, .markdown svg, [srcdoc], .markdown [id], .markdown [name], .markdown [style]",
  );
  const found = [...elements].map(({ outerHTML }) => outerHTML.slice(0, 120));
  for (const element of main.querySelectorAll(".markdown *")) {
    for (const { name, value } of element.attributes) {
      if (
        name.startsWith("on") ||
        name !== "title" && name !== "alt" && /^\W*(?:javascript|data:(?!image))/i.test(value)
      ) {
        found.push(`${name}=${value}`);
      }
      if (
        name === "href" && /^https?:/.test(value) &&
        (element as HTMLAnchorElement).rel !== "noopener noreferrer"
      ) {
        found.push(value);
      }
    }
  }
  return Promise.resolve(found);
}
