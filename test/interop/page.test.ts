/**
 * The page of the service in a real Chromium: what its visitors see and do; that it is usable by keys, on narrow screens, in the dark
 * and for readers of screens; and that files of hostile repositories do not reach its session.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openPageLink } from "../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { parseNid } from "../../src/ids/nid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import { atPath, branchOfNode, hashOf, inRepository } from "../../extensions/page/browser/places.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { GitRepository } from "../support/git.ts";
import { ROOT, RUNTIMES, type Service, startService } from "../support/programs.ts";
import type { Page } from "./browser_process.ts";
import { startPageTests } from "./page_browser.ts";
import {
  changedBy,
  clickIn,
  comeIn,
  faultsByAxe,
  focus,
  focusedText,
  goTo,
  heardOfFrame,
  markFocused,
  notedViolations,
  noteViolations,
  setHash,
  startOfTabbing,
  storedSecrets,
  submit,
  takeIn,
  textsOf,
  titleOf,
  type,
  unreached,
  waitFor,
  widthOfPage,
} from "./page_steps.ts";
import { copyDemoHome } from "../support/demo_home.ts";

/** A name of the internet that leads to this machine: who comes by it is a stranger. */
const FOREIGN = "foreign.example";
/** A path below which a proxy has the service, and takes off the front. */
const PROXIED = "/a/path/";

/** Tells its parent, and the title, what it finds in the session of its origin. */
const SPY = `let found; try { found = JSON.stringify(sessionStorage) } catch (error) { found = String(error) }
  document.title = "ran: " + found; parent.postMessage("ran: " + found, "*");`;
const HOSTILE = {
  "hostile.html":
    `<!doctype html><title>quiet</title><script>${SPY}</script><img src=x onerror="document.title='ran'">`,
  "hostile.svg": `<svg xmlns="http://www.w3.org/2000/svg"><script>${
    SPY.replaceAll("<", "&lt;")
  }</script></svg>`,
  "hostile.xhtml":
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>quiet</title><script>${SPY}</script></head><body/></html>`,
};
/** Files that would change the page if they became its style or its script. */
const CODE = { "hostile.css": "main { display: none }", "hostile.js": SPY };
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  svg: "image/svg+xml",
  xhtml: "application/xhtml+xml",
  css: "text/css",
  js: "text/javascript",
};
/** Markup that loads files as parts of the page. */
const loading = (style: string, script: string, document: string) =>
  [
    `<link rel="stylesheet" href="${style}"><link rel="modulepreload" href="${script}">`,
    `<style>@import url("${style}"); main { display: none }</style>`,
    `<script src="${script}"></script><script type="module">import "${script}";</script>`,
    `<iframe src="${document}"></iframe><object data="${document}"></object><embed src="${document}">`,
    `<link rel="manifest" href="${document}"><base href="${document}">`,
    `<svg><script href="${script}"></script><use href="${document}"></use></svg>`,
    `<p style="display: none">text</p>`,
  ].join("\n\n");

/** The form of the reference that changes an issue. */
const TRIED = 'form[aria-label="Try changeIssue"] ';

const WIDE = { width: 1100, height: 800, scheme: "light" } as const;
const NARROW = { width: 360, height: 700, scheme: "dark" } as const;
/** On narrow screens, axe looks at every so many-th view: others are checked to be as narrow. */
const NARROW_STEP = ALL_WANTED ? 1 : 2;
const SCREENS = [WIDE, NARROW, { ...WIDE, scheme: "dark" }, { ...NARROW, scheme: "light" }] as const;

const { folder, open } = startPageTests("page", [`MAP ${FOREIGN} 127.0.0.1`]);
const home = join(folder, "home");
let server: Server, outside: string, target: string, signer: Signer, axe: string;
/** Paths of the hostile files below `/raw`, and a commit whose readme and issue text load them. */
let hostile: {
  readonly documents: readonly string[];
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly commit: string;
};
let demo: {
  readonly rid: string;
  readonly name: string;
  readonly issue: string;
  readonly patch: string;
  readonly nid: string;
};

before(async () => {
  await copyDemoHome(home);
  axe = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
  // A proxy of the service at hand, and hostile files as another site has them.
  server = createServer((asked, answer) => {
    const { url = "/", method, headers } = asked;
    const file = HOSTILE[url.slice(1) as keyof typeof HOSTILE];
    if (file !== undefined) {
      answer.setHeader("content-type", TYPES[url.split(".").at(-1)!]!);
      return void answer.end(file);
    }
    if (!url.startsWith(PROXIED)) return void answer.writeHead(404).end();
    const { host: _, ...others } = headers;
    const forwarded = request(
      `${target}/${url.slice(PROXIED.length)}`,
      { method, headers: others },
      (from) => {
        answer.writeHead(from.statusCode!, from.headers);
        from.pipe(answer);
      },
    );
    forwarded.on("error", () => answer.destroy());
    asked.pipe(forwarded);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  outside = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Puts the hostile files into a commit of the demo repository. */
function addHostileFiles(rid: string): typeof hostile {
  const git = new GitRepository(join(home, "storage", rid.slice("rad:".length)));
  const typeOf = (name: string) => TYPES[name.split(".").at(-1)!]!;
  const files = Object.entries({ ...HOSTILE, ...CODE }).map(([name, text]) => ({
    name,
    oid: git.put("blob", text),
  }));
  const blobOf = ({ name, oid }: typeof files[number]) =>
    `/raw/${rid}/blobs/${oid}?mime=${encodeURIComponent(typeOf(name))}`;
  const find = (wanted: string) => blobOf(files.find(({ name }) => name === wanted)!);
  const readme = loading(find("hostile.css"), find("hostile.js"), find("hostile.html"));
  const entries = [...files, { name: "README.md", oid: git.put("blob", readme) }].map(({ name, oid }) =>
    `100644 blob ${oid}\t${name}\n`
  );
  const tree = git.text(["mktree"], entries.join(""));
  const commit = git.text(["commit-tree", tree, "-m", "Hostile files"]);
  const paths = (names: object) =>
    files.filter(({ name }) => name in names).flatMap((file) => [
      `/raw/${rid}/${commit}/${file.name}`,
      blobOf(file),
    ]);
  return {
    documents: paths(HOSTILE),
    styles: paths({ "hostile.css": "" }),
    scripts: paths({ "hostile.js": "" }),
    commit,
  };
}

// The page is the same text on each runtime, and what it asks for is asked of each runtime by the tests of the adapters, the
// replays and browser.test.ts.
for (const runtime of ALL_WANTED ? RUNTIMES : RUNTIMES.slice(0, 1)) {
  describe(`the page of xylem on ${runtime}`, () => {
    let service: Service, page: Page;

    before(async () => {
      service = await startService(runtime, home);
      target = service.url;
      const node = await (await fetch(`${service.url}/api/v1/node`)).json();
      const loadSigner = openSigner({ home, nodeId: parseNid(node.id), fileSystem });
      signer = await loadSigner();
      const projects = await (await fetch(`${service.url}/api/v1/projects?show=all`)).json();
      const { id, name } = projects.find(({ name }: { name: string }) => name === "xylem-demo");
      const titled = async (kind: string, title: string): Promise<string> => {
        const all = await (await fetch(`${service.url}/api/v1/projects/${id}/${kind}`)).json();
        return all.find((one: { title: string }) => one.title === title).id;
      };
      demo = {
        rid: id,
        nid: node.id,
        name,
        issue: await titled("issues", "Print the rings as a picture"),
        patch: await titled("patches", "Water the trees"),
      };
      hostile ??= addHostileFiles(id);
      page = await open(`${service.url}/`);
      await page.emulate(WIDE);
    });
    after(() => service?.stop());

    /** Goes to a place in the page and waits for its heading. */
    const go = (hash: string, heading: string) => page.run(goTo, hash, heading);

    it("lists all repositories for the owner of the node, and finds one", async () => {
      await page.run(waitFor, ".cards li:nth-child(3)", "");
      const names = await page.run(textsOf, ".cards h3 a");
      assert.deepEqual(names.toSorted(), ["seed-catalogue", "winter-notes", "xylem-demo"]);
      assert.deepEqual(await page.run(textsOf, ".badge.private"), ["private"]);
      await page.run(type, "#filter", "SEED");
      await page.run(waitFor, ".note[role=status]", "1 of 3 shown.");
      assert.deepEqual(await page.run(textsOf, ".cards h3 a"), ["seed-catalogue"]);
      assert.deepEqual(page.errors(), []);
    });

    it("lists public repositories for a stranger", async () => {
      const { port } = new URL(service.url);
      const other = await open(`http://${FOREIGN}:${port}/`);
      await other.run(waitFor, ".cards li:nth-child(2)", "");
      const names = await other.run(textsOf, ".cards h3 a");
      assert.deepEqual(names.toSorted(), ["seed-catalogue", "xylem-demo"]);
      assert.deepEqual(other.errors(), []);
    });

    // The page is the same on each runtime: once is enough for what only the browser decides.
    const isFirst = runtime === RUNTIMES[0];

    it("works below the path of a proxy", { skip: !isFirst }, async () => {
      const other = await open(outside + PROXIED);
      await other.run(waitFor, ".cards li:nth-child(2)", "");
      await other.run(goTo, "#/reference/listProjects", "API reference");
      await other.run(clickIn, 'form[aria-label="Try listProjects"] button[type=submit]');
      await other.run(waitFor, ".answer", "200");
      assert.deepEqual(other.errors(), []);
    });

    it("shows a repository: folders, the readme, commits, issues and patches", async () => {
      await go(inRepository(demo.rid), demo.name);
      await page.run(waitFor, ".markdown h3", "xylem-demo");
      await page.run(waitFor, ".about", "10 branches of 3 nodes, 2 tags");
      await go(atPath(demo.rid, "tree", "main", "docs"), "xylem-demo/docs");
      await page.run(waitFor, ".files", "guide.md");
      await go(atPath(demo.rid, "commits", "main"), "Commits");
      await page.run(waitFor, ".rows", "Spell chlorophyll");
      await go(inRepository(demo.rid, ["issues"]), "Issues");
      await page.run(waitFor, ".rows", "Ästhetik: names of files in all scripts 🌍");
      await go(inRepository(demo.rid, ["issues"], { label: "none" }), "Issues");
      await page.run(waitFor, ".empty", "No issues here.");
      await go(inRepository(demo.rid, ["patches"]), "Patches");
      await page.run(waitFor, ".rows", "Count the leaves");
      assert.deepEqual(page.errors(), []);
    });

    it("finds an issue by a word of its comments", async () => {
      await go("#/", "demo");
      await page.run(type, "header [name=words]", "gravity");
      await page.run(submit, "form[role=search]");
      await page.run(waitFor, ".cards li", "Leaves fall up");
      assert.deepEqual(page.errors(), []);
    });

    it("runs a GET of the reference", async () => {
      await go("#/reference/listProjects", "API reference");
      await page.run(clickIn, 'form[aria-label="Try listProjects"] button[type=submit]');
      await page.run(waitFor, ".answer", "200");
      await page.run(waitFor, '[aria-label="Answer"]', demo.rid);
      assert.deepEqual(page.errors(), []);
    });

    it("signs in by the link of xylem session, and keeps the token in this tab alone", async () => {
      const link = new URL(await openPageLink(service.url, signer) ?? assert.fail("no link"));
      await page.run(setHash, link.hash);
      await page.run(waitFor, ".account", "Signed in as demo");
      const { session, others, address } = await page.run(storedSecrets);
      assert.equal(session.length, 1);
      const { token } = JSON.parse(session[0]!);
      assert.match(token, /^[A-Za-z0-9]{32}$/);
      assert.deepEqual(others, []);
      assert.ok(!address.includes(token), address);
      assert.deepEqual(page.errors(), []);
    });

    it("runs a signed PATCH of the reference", async () => {
      const issues = await (await fetch(`${service.url}/api/v1/projects/${demo.rid}/issues`)).json();
      const title = `Renamed <img src=x onerror="document.title='ran'"> on ${runtime}`;
      await go("#/reference/changeIssue", "API reference");
      await page.run(type, TRIED + "[name=project]", demo.rid);
      await page.run(type, TRIED + "[name=id]", issues.at(-1).id);
      await page.run(type, TRIED + "textarea", JSON.stringify({ type: "edit", title }));
      await page.run(clickIn, TRIED + "button[type=submit]");
      await page.run(waitFor, ".answer", "200");
      const changed = await fetch(`${service.url}/api/v1/projects/${demo.rid}/issues/${issues.at(-1).id}`);
      assert.equal((await changed.json()).title, title);
      // As text, not as HTML.
      await go(inRepository(demo.rid, ["issues"], { state: "all" }), "Issues");
      await page.run(waitFor, ".rows .subject", title);
      assert.equal(await page.run(titleOf), `Issues · ${demo.name} · Xylem`);
      assert.deepEqual(page.errors(), []);
    });

    it("gives files of a hostile repository nothing of its session, in its tab and in a frame", async () => {
      const { session } = await page.run(storedSecrets);
      assert.equal(session.length, 1);
      for (const path of hostile.documents) {
        await page.visit(service.url + path);
        assert.doesNotMatch(await page.run(titleOf), /^ran/, path);
        // The same tab, an answer of the API, and in it a frame.
        await page.visit(`${service.url}/api/v1`);
        assert.deepEqual(await page.run(heardOfFrame, path), { heard: [], isReadable: false }, path);
        assert.deepEqual((await page.run(storedSecrets)).session, session);
      }
      assert.ok(page.errors().some((text) => /sandbox/.test(text)));
    });

    it("keeps foreign content out by its policy", { skip: !isFirst }, async () => {
      const other = await open(`${service.url}/`);
      assert.deepEqual(await other.run(comeIn, outside, hostile.documents[0]!), []);
    });

    it("takes no file of a repository for a part of itself", { skip: !isFirst }, async () => {
      const other = await open(`${service.url}/`);
      await other.run(goTo, atPath(demo.rid, "tree", hostile.commit), demo.name);
      await other.run(waitFor, ".readme .markdown:not([hidden])", "text");
      assert.deepEqual(await other.run(changedBy), []);
      await other.visit("about:blank");
      await other.visit(`${service.url}/`);
      await other.run(waitFor, ".cards li", "");
      await other.run(noteViolations);
      for (const [i, style] of hostile.styles.entries()) {
        const tries = { style, script: hostile.scripts[i]!, document: hostile.documents[i]! };
        assert.deepEqual(await other.run(takeIn, tries), []);
      }
      assert.deepEqual(await other.run(changedBy), []);
      const refused = await other.run(notedViolations);
      for (const path of hostile.styles) {
        assert.ok(refused.includes(`style-src-elem ${service.url}${path}`), path);
      }
      for (const path of hostile.scripts) {
        assert.ok(refused.includes(`script-src-elem ${service.url}${path}`), path);
      }
      for (const name of ["worker-src", "frame-src", "require-trusted-types-for"]) {
        assert.ok(refused.some((text) => text.startsWith(name)), `${name}: ${refused.join(", ")}`);
      }
    });

    it("cannot be framed", async () => {
      await page.visit(`${service.url}/api/v1`);
      assert.deepEqual(await page.run(heardOfFrame, "/"), { heard: [], isReadable: false });
    });

    it("signs out", async () => {
      await page.visit(`${service.url}/`);
      await page.run(waitFor, ".account", "Signed in as demo");
      const { session } = await page.run(storedSecrets);
      await page.run(clickIn, ".account button");
      await page.run(waitFor, ".account", "Sign in");
      assert.deepEqual((await page.run(storedSecrets)).session, []);
      const { token } = JSON.parse(session[0]!);
      assert.equal((await fetch(`${service.url}/api/v1/sessions/${token}`)).status, 404);
    });

    it("has no fault by axe, on wide and narrow screens in the light and the dark, with forms and without", {
      skip: !isFirst,
    }, async () => {
      const other = await open(`${service.url}/`);
      await other.runScript(axe);
      const found: string[] = [];
      for (const [i, screen] of SCREENS.entries()) {
        if (i === SCREENS.length / 2) {
          const link = new URL(await openPageLink(service.url, signer) ?? assert.fail("no link"));
          await other.run(setHash, link.hash);
          await other.run(waitFor, ".account", "Signed in as demo");
        }
        await other.emulate(screen);
        for (const [number, [hash, heading, filled]] of views().entries()) {
          await other.run(goTo, hash, heading);
          await other.run(waitFor, filled, "");
          const place = `${hash} ${screen.width} ${screen.scheme}`;
          // One of the narrow screens has the views with even numbers, the other one the rest.
          const isLookedAt = screen.width === WIDE.width || (number + (i >> 1)) % NARROW_STEP === 0;
          const faults = isLookedAt ? await other.run(faultsByAxe) : [];
          found.push(...faults.map((fault) => `${place}: ${fault}`));
          const width = await other.run(widthOfPage);
          assert.ok(width <= screen.width, `${place}: ${width} pixels wide`);
        }
      }
      assert.deepEqual(found, []);
      // What is not there is an error of its request.
      assert.deepEqual(other.errors().filter((text) => !text.includes("0".repeat(40))), []);
    });

    it("lets keys reach all that can be used, visibly", { skip: !isFirst }, async () => {
      const other = await open(`${service.url}/`);
      for (const [hash, heading, filled] of views()) {
        await other.run(goTo, hash, heading);
        await other.run(waitFor, filled, "");
        await other.run(waitFor, "main:not(:has(.waiting))", "");
        const wanted = await other.run(startOfTabbing);
        for (let i = 0; i < wanted; i++) {
          await other.press("Tab");
          await other.run(markFocused);
        }
        assert.deepEqual(await other.run(unreached), [], hash);
      }
      // By keys alone to the reference.
      await other.run(goTo, "#/sign-in", "Sign in");
      await other.run(focus, 'header nav a[href="#/reference"]');
      await other.press("Enter");
      await other.run(waitFor, "h1", "API reference");
      assert.equal(await other.run(focusedText), "API reference");
    });
  });
}

/** Views with their addresses and headings, and what is there when they are filled. */
function views(): readonly (readonly [hash: string, heading: string, filled: string])[] {
  const { rid, name } = demo;
  const here = (...parts: readonly string[]) => inRepository(rid, parts);
  return [
    [hashOf([]), "demo", ".cards li:nth-child(3)"],
    [here(), name, "main:has(.about li:nth-child(4)) .markdown h3"],
    [atPath(rid, "tree", "main", "src"), `${name}/src`, ".files li"],
    [atPath(rid, "blob", "main", "src/tree.ts", { lines: "3-7" }), `${name}/src/tree.ts`, ".code .t-keyword"],
    [atPath(rid, "blob", "main", "README.md"), `${name}/README.md`, ".markdown h2"],
    [atPath(rid, "commits", "main"), "Commits", ".rows li"],
    [here("commit", "main"), "Merge patch: Spell chlorophyll", ".row.addition"],
    [here("compare", branchOfNode(demo.nid, "feature/birds"), "main"), "Compare", ".row.addition"],
    [here("branches"), "Branches and tags", "section:last-of-type .rows"],
    [here("issues"), "Issues", ".rows li"],
    [here("issues", demo.issue), "Print the rings as a picture", ".markdown img"],
    [here("patches"), "Patches", ".rows li"],
    [here("patches", demo.patch), "Water the trees", ".review .markdown:not([hidden])"],
    [inRepository(rid, ["patches", demo.patch], { tab: "changes" }), "Water the trees", ".row.addition"],
    [here("issues", "new"), "New issue", "main form, main .note"],
    [here("patches", "new"), "New patch", "main form, main .note"],
    [hashOf(["node"]), "demo", "main .rows li"],
    [hashOf(["reference", "changeIssue"]), "API reference", 'form[aria-label="Try changeIssue"]'],
    [hashOf(["search", "leaf"]), "Search: leaf", ".cards li"],
    [hashOf(["sign-in"]), "Sign in", "#token"],
    [hashOf(["nowhere"]), "Not found", "main p"],
    [here("issues", "0".repeat(40)), "Not shown", ".failure"],
  ];
}

describe("the hostile files", () => {
  it("would run elsewhere: their scripts are right", async () => {
    for (const name of Object.keys(HOSTILE)) {
      const page = await open(`${outside}/${name}`);
      assert.match(await page.run(titleOf), /^ran/, name);
    }
  });
});
