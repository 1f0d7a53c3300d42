/**
 * Texts that keep a parser of markdown or a highlighter busy for minutes, in a real Chromium: the page stays usable
 * and shows them as they are, in each view that shows texts of strangers.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { parseNid } from "../../src/ids/nid.ts";
import { atPath, inRepository } from "../../extensions/page/browser/places.ts";
import { copyDemoHome } from "../support/demo_home.ts";
import { commitOf, GitRepository } from "../support/git.ts";
import { type Service, startService } from "../support/programs.ts";
import type { Page } from "./browser_process.ts";
import { startPageTests } from "./page_browser.ts";
import { goTo, setHash, textsOf, waitFor } from "./page_steps.ts";

/** Longest time without a turn of the page, in milliseconds, on a machine that does other things, too. */
const MAX_BLOCKED_MS = 2000;

const fence = (language: string, text: string) => `${"```"}${language}\n${text}\n${"```"}\n`;

/** Code that is coloured after all that comes before it. */
const CODE = fence("ts", "const a = 1;");
/** Texts that take minutes, what has to be seen of each, and what is there when nothing more happens to it. */
const TEXTS = {
  "brackets in a fence of markdown": {
    text: fence("md", "[a](".repeat(5000)) + CODE,
    seen: "[a](".repeat(5000),
    done: ".language-ts .t-keyword",
  },
  "an address of mail without an end": {
    text: "a.".repeat(65_000) + "@",
    seen: "a.".repeat(65_000) + "@",
    done: ".as-it-is",
  },
  "lines of a script": {
    text: fence("js", `begin${"\n".repeat(48 * 1024 - 20)}end`),
    seen: "begin",
    done: ".as-it-is",
  },
  "fewer lines of a script": {
    text: fence("js", `begin${"\n".repeat(9000)}end`) + CODE,
    seen: "begin",
    done: ".language-ts .t-keyword",
  },
};
/** Texts of which a parser of HTML makes very many elements, or very deep ones. */
const MARKUP = {
  "formatting that is never closed": "<p>" +
    Array.from({ length: 1500 }, (_, i) => `<b title="${i}">`).join("") + "<p>y".repeat(4000),
  "formatting that is closed out of order": "*a **b ".repeat(3000) + "<p>y".repeat(4000),
  "unknown elements in each other": "<foo>".repeat(500) + "<foo>y".repeat(4000),
  "open details in each other": "<details open><summary>x</summary>".repeat(2000),
  "tables in each other": "<table><tr><td>".repeat(1900) + "x",
  "very many attributes": `<p ${Array.from({ length: 18_000 }, (_, i) => `a${i}`).join(" ")}>x`,
};

const { folder, open } = startPageTests("page-texts");

describe("hostile texts in the page", () => {
  let service: Service, page: Page, rid: string, git: GitRepository, token: string, longestMs = 0;
  const home = join(folder, "home");

  before(async () => {
    await copyDemoHome(home);
    service = await startService("node", home);
    const { id } = await (await fetch(`${service.url}/api/v1/node`)).json();
    const projects = await (await fetch(`${service.url}/api/v1/projects?show=all`)).json();
    rid = projects.find(({ name }: { name: string }) => name === "xylem-demo").id;
    git = new GitRepository(join(home, "storage", rid.slice("rad:".length)));
    token = await openAuthorized(service.url, await openSigner({ home, nodeId: parseNid(id), fileSystem })());
    page = await open(`${service.url}/`);
    await page.run(watchTurns);
  });
  after(() => service?.stop());

  const go = (hash: string, heading: string) => page.run(goTo, hash, heading);

  /** What has been waited for is there, and the page has had its turns. */
  async function assertCalm(): Promise<void> {
    const blockedMs = await page.run(longestTurn);
    assert.ok(blockedMs <= MAX_BLOCKED_MS, `blocked for ${blockedMs} ms`);
    longestMs = Math.max(longestMs, blockedMs);
    assert.deepEqual(page.errors(), []);
  }

  async function change(method: string, path: string, body: object): Promise<string> {
    const response = await fetch(`${service.url}/api/v1/projects/${rid}/issues${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    assert.equal(answer.success, true, JSON.stringify(answer));
    return answer.id;
  }

  const openIssue = (title: string, description: string) =>
    change("POST", "", { title, description, labels: [], assignees: [], embeds: [] });

  for (const [name, { text, seen, done }] of Object.entries(TEXTS)) {
    it(`are shown as they are in a readme: ${name}`, async () => {
      await go(atPath(rid, "tree", commitOf(git, { "README.md": text })), "xylem-demo");
      await page.run(waitFor, `.readme ${done}`, "");
      await page.run(waitFor, ".readme", seen);
      assert.deepEqual(await page.run(textsOf, ".readme :is(.language-md, .language-js) > *"), []);
      await assertCalm();
    });

    it(`are shown as they are in an issue and a comment: ${name}`, async () => {
      const title = `Issue with ${name}`;
      const id = await openIssue(title, text);
      await change("PATCH", `/${id}`, { type: "comment", body: text, embeds: [], replyTo: id });
      await go(inRepository(rid, ["issues", id]), title);
      await page.run(waitFor, `.thread ${done}`, "");
      await page.run(waitFor, ".thread", seen);
      await page.run(waitFor, `.note-box:not(.thread *) ${done}`, "");
      await assertCalm();
    });

    it(`are shown as they are in a file, drawn and as source: ${name}`, async () => {
      const commit = commitOf(git, { "text.md": text, "text.js": text.replace(/^`+\w+\n/, "") });
      await go(atPath(rid, "blob", commit, "text.md"), "xylem-demo/text.md");
      await page.run(waitFor, done, "");
      await page.run(waitFor, ".markdown, pre.text", seen);
      const sources = [
        atPath(rid, "blob", commit, "text.md", { as: "source" }),
        atPath(rid, "blob", commit, "text.js"),
      ];
      for (const place of sources) {
        await page.run(setHash, place);
        await page.run(waitFor, ".code", seen);
        // Its colours wait for those of the text.
        await go(atPath(rid, "blob", "main", "src/tree.ts"), "xylem-demo/src/tree.ts");
        await page.run(waitFor, ".code .t-keyword", "readonly");
      }
      await assertCalm();
    });

    it(`are shown as they are in a diff: ${name}`, async () => {
      const base = commitOf(git, { "text.md": "before\n" });
      const commit = commitOf(git, { "text.md": text });
      await go(inRepository(rid, ["compare", base, commit]), "Compare");
      await page.run(waitFor, ".file summary", "text.md");
      await page.run(openAll, ".file");
      await page.run(waitFor, ".row.addition", seen);
      await assertCalm();
    });
  }

  for (const [name, text] of Object.entries(MARKUP)) {
    it(`become a bounded number of elements: ${name}`, async () => {
      const title = `Issue with ${name}`;
      await go(inRepository(rid, ["issues", await openIssue(title, text)]), title);
      await page.run(waitFor, ":is(.markdown:not([hidden]), .as-it-is)", "");
      await assertCalm();
      const elements = (await page.run(textsOf, "main *")).length;
      assert.ok(elements <= 8000, `${elements} elements`);
    });
  }

  it("leave honest texts their form and colours", async (test) => {
    const title = "An honest issue";
    const text = ["[a *b* `c`](https://example.org/)", "<details open><summary>s</summary>d</details>"];
    await go(inRepository(rid, ["issues", await openIssue(title, `${text.join("\n\n")}\n\n${CODE}`)]), title);
    await page.run(waitFor, ".markdown .t-keyword", "const");
    const tags =
      "a[href='https://example.org/'][rel='noopener noreferrer'] em, a code, details[open] summary";
    assert.deepEqual(await page.run(textsOf, `.markdown :is(${tags})`), ["b", "c", "s"]);
    await assertCalm();
    test.diagnostic(`the page was blocked for at most ${longestMs} ms`);
  });
});

// What follows runs in pages: each function stands for itself.

/** Notes from now on for how long the page had no turn. */
function watchTurns(): Promise<void> {
  const seen = Object.assign(globalThis as unknown as { blockedMs: number }, { blockedMs: 0 });
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    seen.blockedMs = Math.max(seen.blockedMs, now - last);
    last = now;
  }, 10);
  return Promise.resolve();
}

/** The longest time without a turn since it was asked for the last time. */
function longestTurn(): Promise<number> {
  const seen = globalThis as unknown as { blockedMs: number };
  const { blockedMs } = seen;
  seen.blockedMs = 0;
  return Promise.resolve(Math.round(blockedMs));
}

function openAll(selector: string): Promise<void> {
  for (const element of document.querySelectorAll<HTMLDetailsElement>(selector)) element.open = true;
  return Promise.resolve();
}
