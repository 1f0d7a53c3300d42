/** The demo home, which our own code makes, is a home like any other for git and for the real programs of both generations. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeDemoHome } from "../../adapters/cli/demo/home.ts";
import {
  type Generation,
  GENERATIONS,
  openRadHome,
  type RadHome,
  removeFolder,
  startNode,
  startService,
  temporaryFolder,
} from "../support/programs.ts";

const folder = temporaryFolder("demo-home");
const home = join(folder, "home");
let rid: string;
before(async () => {
  mkdirSync(home);
  await makeDemoHome(home);
  rid = JSON.parse(readFileSync(join(home, "config.json"), "utf8")).web.pinned.repositories[0];
});
after(() => removeFolder(folder));

/** Titles by the command that lists them. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  "issue list --open": [
    "Trees are never watered",
    "Print the rings as a picture",
    "Ästhetik: names of files",
  ],
  "issue list --closed": ["Sell trees by the metre"],
  "issue list --solved": ["Leaves fall up", "Which licence is this under"],
  "patch list --open": ["Water the trees", "Count the leaves"],
  "patch list --draft": ["Sleep in winter"],
  "patch list --merged": ["Spell chlorophyll", "Auf Deutsch: die Anleitung"],
  "patch list --archived": ["Offer plastic trees"],
};

/** A copy of the home, for one generation. */
function copyFor(generation: Generation, purpose: string): RadHome {
  const copy = join(folder, `${generation}-${purpose}`);
  cpSync(home, copy, { recursive: true, verbatimSymlinks: true });
  return openRadHome(generation, copy, "demo");
}

/** The start of the id of the object whose title is in a line of a list. */
function idOf(list: string, title: string): string {
  const line = list.split("\n").find((line) => line.includes(title));
  const id = /\b[0-9a-f]{7}\b/.exec(line ?? "")?.[0];
  assert.ok(id, `${title} in\n${list}`);
  return id;
}

describe("git", () => {
  it("finds no fault with the repositories", () => {
    for (const name of readdirSync(join(home, "storage"))) {
      const path = join(home, "storage", name);
      execFileSync("git", ["-C", path, "fsck", "--full", "--strict", "--no-dangling"], { stdio: "pipe" });
    }
  });

  it("clones a repository out of the storage", () => {
    const into = join(folder, "clone");
    execFileSync("git", ["clone", "--quiet", join(home, "storage", rid.replace("rad:", "")), into]);
    for (const path of ["README.md", "docs/日本語/木.md", "HOWTO"]) {
      assert.ok(existsSync(join(into, path)), path);
    }
  });
});

for (const generation of GENERATIONS) {
  describe(`rad ${generation} on the demo home`, () => {
    let rad: RadHome;
    before(() => {
      rad = copyFor(generation, "read");
      // Rows of reviewed patches differ between the generations, and the home has those of the newest: so each user of 0.10 has to do.
      if (generation === "0.10") rad.rad(folder, "patch", "cache", "--repo", rid);
    });

    it("knows its repositories, their identities and what it seeds", () => {
      const listed = rad.rad(folder, "ls", "--all");
      for (const name of ["xylem-demo", "seed-catalogue", "winter-notes"]) {
        assert.match(listed, new RegExp(name));
      }
      const did = rad.rad(folder, "self", "--did").trim();
      assert.ok(rad.rad(folder, "inspect", rid, "--delegates").includes(did));
      assert.match(rad.rad(folder, "inspect", rid, "--payload"), /"name": "xylem-demo"/);
      assert.match(rad.rad(folder, "inspect", rid, "--history"), /Initialize identity/);
      assert.match(rad.rad(folder, "inspect", rid, "--sigrefs"), /z6Mk.*[0-9a-f]{40}/);
      assert.match(rad.rad(folder, "follow"), /zoë/);
    });

    for (const [command, titles] of Object.entries(LISTED)) {
      it(`answers ${command}`, () => {
        const listed = rad.rad(folder, ...command.split(" "), "--repo", rid);
        for (const title of titles) assert.ok(listed.includes(title), `${title} in\n${listed}`);
      });
    }

    it("calls the owner by name", () => {
      assert.match(rad.rad(folder, "issue", "list", "--repo", rid), /demo +\(you\)/);
    });

    it("checks a repository out, and takes what is pushed", () => {
      const { home, ...own } = copyFor(generation, "push");
      own.rad(home, "checkout", rid);
      const work = join(home, "xylem-demo");
      own.git(work, "commit", "--quiet", "--allow-empty", "--message", "Let it rain");
      own.git(work, "push", "--quiet", "rad", "main");
      const stored = join(home, "storage", rid.replace("rad:", ""));
      assert.equal(own.git(stored, "log", "-1", "--format=%s").trim(), "Let it rain");
      own.git(stored, "fsck", "--full", "--strict", "--no-dangling");
    });

    it("shows issues and patches, and their entries", () => {
      const show = (kind: "issue" | "patch", state: string, title: string) => {
        const id = idOf(rad.rad(folder, kind, "list", state, "--repo", rid), title);
        return rad.rad(folder, kind, "show", id, "--repo", rid);
      };
      const issue = show("issue", "--open", "Trees are never watered");
      for (const text of ["good-first-issue", "A can with a hose", "Rain could come later"]) {
        assert.ok(issue.includes(text), `${text} in\n${issue}`);
      }
      const patch = show("patch", "--open", "Water the trees");
      for (const text of ["feature", "rejected", "accepted", "Say how much was poured"]) {
        assert.ok(patch.includes(text), `${text} in\n${patch}`);
      }
      const [object = ""] = /[0-9a-f]{40}/.exec(issue) ?? [];
      const log = rad.rad(
        folder,
        "cob",
        "log",
        "--repo",
        rid,
        "--type",
        "xyz.radicle.issue",
        "--object",
        object,
      );
      assert.equal(log.match(/^commit /gm)?.length, 7);
    });

    it("comments, and the comment is in our answers", async () => {
      const { home, ...own } = copyFor(generation, "write");
      const id = idOf(own.rad(folder, "issue", "list", "--repo", rid), "Trees are never watered");
      own.rad(folder, "issue", "comment", id, "--repo", rid, "--message", "It rains!", "--no-announce");
      const service = await startService("node", home);
      try {
        const response = await fetch(`${service.url}/api/v1/projects/${rid}/issues?state=open`);
        const issues: { title: string; discussion: { body: string }[] }[] = await response.json();
        const issue = issues.find(({ title }) => title === "Trees are never watered");
        assert.equal(issue?.discussion.at(-1)?.body, "It rains!");
      } finally {
        await service.stop();
      }
    });

    it("can be left to a node, which finds the references signed as it would sign them", async () => {
      const own = copyFor(generation, "node");
      const refs = () => own.git(join(own.home, "storage", rid.replace("rad:", "")), "for-each-ref");
      const before = refs();
      const node = await startNode(generation, own.home);
      try {
        assert.match(own.rad(folder, "node", "status"), /running/);
      } finally {
        await node.stop();
      }
      assert.equal(refs(), before);
      assert.match(own.rad(folder, "ls", "--all"), /xylem-demo/);
    });
  });
}
