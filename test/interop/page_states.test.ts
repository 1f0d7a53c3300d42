/**
 * What each view of the page shows in a real Chromium while it waits, when there is nothing, when the service fails,
 * and when the browser is offline; and that it shows its content as soon as it can.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { atPath, branchOfNode, hashOf, inRepository } from "../../extensions/page/browser/places.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { commitOf, GitRepository } from "../support/git.ts";
import { ROOT, type Service, startService } from "../support/programs.ts";
import type { Page } from "./browser_process.ts";
import { startPageTests } from "./page_browser.ts";
import { clickIn, faultsByAxe, setHash, textsOf, waitFor } from "./page_steps.ts";
import { copyDemoHome } from "../support/demo_home.ts";

/** A view: its place, what it asks for, and what is there when it is filled. */
interface View {
  readonly hash: string;
  /** Pattern of the addresses that it asks for. */
  readonly asked: string;
  readonly filled: string;
}

/**
 * Axe looks at every so many-th view that waits, and at the next ones that have failed: what stands there is the same in all
 * of them, and so is the frame around it, at which the tests of the filled views look.
 */
const AXE_STEP = ALL_WANTED ? 1 : 4;

/** Part of the answer by which a service says that it has no search. */
const NO_SEARCH = { httpd: { searchAvailable: false } };

const { folder, open } = startPageTests("page-states");
const home = join(folder, "home");
const axe = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

describe("states of the views of the page", () => {
  let service: Service, rid: string, views: readonly View[], git: GitRepository;
  /** A repository without tags. */
  let bare: string;

  before(async () => {
    await copyDemoHome(home);
    service = await startService("node", home);
    const projects = await ask("/projects?show=all");
    const named = (wanted: string) => projects.find(({ name }: { name: string }) => name === wanted).id;
    [rid, bare] = [named("xylem-demo"), named("seed-catalogue")];
    git = new GitRepository(join(home, "storage", rid.slice("rad:".length)));
    const [issue] = await ask(`/projects/${rid}/issues`);
    const [patch] = await ask(`/projects/${rid}/patches`);
    const { id: nid } = await ask("/node");
    const api = `${service.url}/api/v1`;
    const here = (...parts: readonly string[]) => inRepository(rid, parts);
    const project = `${api}/projects/${rid}`;
    views = [
      { hash: hashOf([]), asked: `${api}/projects[?]*`, filled: ".cards li" },
      { hash: here(), asked: project, filled: ".about" },
      { hash: here(), asked: `${project}/tree/*`, filled: ".files li" },
      { hash: here(), asked: `${project}/blob/*`, filled: ".readme .markdown:not([hidden])" },
      { hash: atPath(rid, "tree", "main", "src"), asked: `${project}/tree/*`, filled: ".files li" },
      { hash: atPath(rid, "blob", "main", "src/tree.ts"), asked: `${project}/blob/*`, filled: ".code .line" },
      { hash: atPath(rid, "blob", "main", "assets/leaf.png"), asked: `*/raw/*`, filled: ".picture img" },
      { hash: atPath(rid, "commits", "main"), asked: `${project}/commits[?]*`, filled: ".rows .subject" },
      { hash: here("commit", "main"), asked: `${project}/commits/*`, filled: ".row.addition" },
      {
        hash: here("compare", branchOfNode(nid, "feature/birds"), "main"),
        asked: `${project}/diff/*`,
        filled: ".row.addition",
      },
      { hash: here("branches"), asked: `${project}/remotes`, filled: "section:nth-of-type(3) .rows" },
      { hash: here("branches"), asked: `${api}/repos/*`, filled: ".rows li:not(:has(.quiet))" },
      { hash: here("issues"), asked: `${project}/issues[?]*`, filled: ".rows .subject" },
      { hash: here("issues", issue.id), asked: `${project}/issues/*`, filled: ".note-box" },
      { hash: here("patches"), asked: `${project}/patches[?]*`, filled: ".rows .subject" },
      { hash: here("patches", patch.id), asked: `${project}/patches/*`, filled: ".note-box" },
      { hash: here("patches", patch.id), asked: `${project}/diff/*`, filled: "details.list .rows" },
      {
        hash: inRepository(rid, ["patches", patch.id], { tab: "changes" }),
        asked: `${project}/diff/*`,
        filled: ".row.addition",
      },
      { hash: hashOf(["node"]), asked: `${api}/node/policies/*`, filled: ".rows li" },
      { hash: hashOf(["search", "leaf"]), asked: `${api}/search[?]*`, filled: ".cards li" },
      { hash: hashOf(["reference", "listProjects"]), asked: "*/openapi.json", filled: ".try" },
    ].map((view) => ({ ...view, asked: view.asked.replaceAll("[?]", "\\?") }));
  });
  after(() => service?.stop());

  // deno-lint-ignore no-explicit-any -- members depend on the path
  const ask = async (path: string): Promise<any> =>
    await (await fetch(`${service.url}/api/v1${path}`)).json();

  /** Opens a view in a page that has no answers yet. */
  async function show(page: Page, hash: string): Promise<void> {
    await page.visit("about:blank");
    await page.visit(`${service.url}/${hash}`);
  }

  /** Tries something for each view; a failure names it. */
  async function ofEach(attempt: (view: View, number: number) => Promise<void>): Promise<void> {
    for (const [number, view] of views.entries()) {
      await attempt(view, number).catch((cause) => {
        throw new Error(`${view.hash} without ${view.asked}`, { cause });
      });
    }
  }

  /** Waits for the content alone. */
  async function settles(page: Page, filled: string): Promise<void> {
    await page.run(waitFor, `main:not(:has(.waiting, .failure)) ${filled}`, "");
  }

  it("says while it waits that it loads, to readers of the screen as well, and then shows its content", async () => {
    const page = await open("about:blank");
    await ofEach(async ({ hash, asked, filled }, number) => {
      const release = await page.intercept(asked);
      await show(page, hash);
      await page.run(waitFor, "main [role=status][aria-busy=true]", "Loading…");
      await page.run(waitUntilSeen, "main .waiting");
      assert.deepEqual(await page.run(textsOf, `main ${filled}`), []);
      if (number % AXE_STEP === 0) {
        await page.runScript(axe);
        // The heading comes with the content, and with it the focus.
        const faults = (await page.run(faultsByAxe)).filter((fault) =>
          !fault.startsWith("page-has-heading-one")
        );
        assert.deepEqual(faults, []);
      }
      await release();
      await settles(page, filled);
    });
    assert.deepEqual(page.errors(), []);
  });

  it("says that the service has failed, and shows its content when that is tried again", async () => {
    const page = await open("about:blank");
    const answer = { status: 500, body: { error: "Something is broken", code: 500 } };
    await ofEach(async ({ hash, asked, filled }, number) => {
      const release = await page.intercept(asked, answer);
      await show(page, hash);
      await page.run(waitFor, "main:not(:has(.waiting)) .failure[role=alert]", "Something is broken");
      if (ALL_WANTED || number % AXE_STEP === 1) {
        await page.runScript(axe);
        assert.deepEqual(await page.run(faultsByAxe), []);
      }
      await release();
      await page.run(clickIn, "main .failure button");
      await settles(page, filled);
    });
  });

  it("says that the browser is offline, and shows its content by itself when it is online again", async () => {
    const page = await open("about:blank");
    await ofEach(async ({ hash, filled }) => {
      await show(page, hashOf(["nowhere"]));
      await page.run(waitFor, "h1", "Not found");
      await page.offline(true);
      await page.run(setHash, hash);
      await page.run(waitFor, "main .failure[role=alert]", "This browser is offline.");
      await page.offline(false);
      await settles(page, filled);
    });
  });

  it("says where there is nothing", async () => {
    const empty = git.text(["commit-tree", git.text(["mktree"], ""), "-m", "Nothing"]);
    const file = commitOf(git, { "empty.txt": "" });
    const same = git.text(["commit-tree", `${file}^{tree}`, "-p", file, "-m", "No change"]);
    const zeros = "0".repeat(40);
    const page = await open("about:blank");
    for (
      const [hash, text] of [
        [hashOf(["search", "nothing-is-called-so"]), "Nothing found."],
        [atPath(rid, "tree", empty), "This folder is empty."],
        [atPath(rid, "blob", file, "empty.txt"), "This file is empty."],
        [atPath(rid, "commits", "main", "", { page: "99" }), "No commits beyond this page."],
        [inRepository(rid, ["commit", same]), "No file has changed."],
        [inRepository(rid, ["compare", file, same]), "No file has changed."],
        [inRepository(bare, ["branches"]), "No tags."],
        [inRepository(rid, ["issues"], { label: "none" }), "No issues here."],
        [inRepository(rid, ["patches"], { label: "none" }), "No patches here."],
        [inRepository(rid, ["issues"], { page: "99" }), "No issues beyond this page."],
        [inRepository(rid, ["issues", zeros]), "Not Found"],
        [inRepository(rid, ["patches", zeros]), "Not Found"],
        [inRepository(rid, ["tree", "no-such-branch"]), "no-such-branch"],
        [inRepository("rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx"), "not found"],
      ] as const
    ) {
      await show(page, hash);
      await page.run(waitFor, "main :is(.empty, .failure, .note[role=status])", text).catch((cause) => {
        throw new Error(`${hash}: ${text}`, { cause });
      });
    }
    // Of what the demo home has, the browser answers that it is not there.
    for (
      const [hash, asked, body, text] of [
        [hashOf([]), "*/api/v1/projects\\?*", [], "This node has no repositories yet."],
        [hashOf(["node"]), "*/api/v1/node/policies/repos", [], "No policies."],
        [hashOf(["search", "leaf"]), "*/api/v1/info", NO_SEARCH, "This service does not search."],
      ] as const
    ) {
      const release = await page.intercept(asked, { status: 200, body });
      await show(page, hash);
      await page.run(waitFor, ".empty", text);
      await release();
    }
  });
});

// What follows runs in pages: each function stands for itself.

/** Waits until an element can be seen. */
async function waitUntilSeen(selector: string): Promise<void> {
  const isSeen = () => {
    const element = document.querySelector(selector);
    return element?.checkVisibility({ opacityProperty: true }) && getComputedStyle(element).opacity === "1";
  };
  while (!isSeen()) await new Promise((resume) => setTimeout(resume));
}
