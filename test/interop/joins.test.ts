/**
 * `rad` evaluates an object, writes an entry on top of what it knows, and sets its reference to that entry without a look at where it leads by
 * then. Here this happens after each kind of write of ours, on purpose: what was written is joined with what `rad` wrote, under the ids that were
 * acknowledged, for us and for `rad`.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import type { CachedType } from "../../src/ports/cob_cache.ts";
import { signerOf } from "../support/keys.ts";
import { GENERATIONS, openRadHome, type RadHome } from "../support/programs.ts";
import { createServedHomes } from "./served_homes.ts";
import {
  assertIntact,
  assertSameState,
  assertSigned,
  type Client,
  createContributorsProject,
  createWrittenProject,
  entriesInRad,
  newComment,
  newIssue,
  type WrittenProject,
} from "./written_project.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const { folder, serve } = createServedHomes("joins");

/** What is written to one type of object: how one is opened, and what we and `rad` then do to it at once. */
interface Kind {
  readonly type: CachedType;
  readonly path: string;
  opening(project: WrittenProject): object;
  change(id: string): object;
  rad(id: string): string[];
  /** Texts of both changes, where the answer has them. */
  // deno-lint-ignore no-explicit-any -- answers are looked into
  texts(answer: any): string[];
}

const KINDS: readonly Kind[] = [
  {
    type: "xyz.radicle.issue",
    path: "/issues",
    opening: () => newIssue("Two at once"),
    change: (id) => newComment(id, "ours"),
    rad: (id) => ["issue", "comment", id, "--message", "theirs"],
    texts: ({ discussion }) => discussion.slice(1).map(({ body }: { body: string }) => body),
  },
  {
    type: "xyz.radicle.patch",
    path: "/patches",
    opening: ({ commits: [target, oid] }) => ({
      title: "Two at once",
      description: "",
      target,
      oid,
      labels: [],
    }),
    change: (revision) => ({ type: "revision.comment", revision, body: "ours" }),
    rad: (id) => ["patch", "comment", id, "--message", "theirs"],
    texts: ({ revisions: [{ discussions }] }) => discussions.map(({ body }: { body: string }) => body),
  },
];

for (const generation of GENERATIONS) {
  for (const who of ["delegate", "contributor"] as const) {
    describe(`what a ${who} writes at the same time as rad ${generation} to one object`, () => {
      let project: WrittenProject;
      let client: Client;
      /** A copy of the home, to write in with `rad` as if it had begun before. */
      let copies = 0;
      const copyHome = (): RadHome => {
        const place = join(folder, `${generation}-${who}-copy-${copies++}`);
        mkdirSync(place);
        cpSync(project.rad.home, join(place, "home"), { recursive: true });
        return openRadHome(generation, join(place, "home"), "copy");
      };

      before(async () => {
        project = createWrittenProject(generation, join(folder, `${generation}-${who}`));
        if (who === "contributor") {
          project = createContributorsProject(generation, join(folder, `${generation}-bob`), project);
        }
        ({ client } = await serve(project));
      });

      for (const { type, path, opening, change, rad, texts } of KINDS) {
        it(`is joined (${type})`, async () => {
          const { git, rid } = project;
          const id = await client.send("POST", path, opening(project));
          const ref = `refs/namespaces/${(await signerOf(project.seed)).nodeId}/refs/cobs/${type}/${id}`;
          const other = copyHome();
          other.rad(dirname(other.home), ...rad(id), "--no-announce", "--repo", rid);
          const entry = await client.send("PATCH", `${path}/${id}`, change(id));
          assert.equal(git.text(["rev-parse", ref]), entry);

          // Its objects are there first, then its reference leads to them, as when `rad` itself writes here.
          git.run(["fetch", "--quiet", join(other.home, "storage", basename(git.path)), `+${ref}:${ref}`]);
          const theirs = git.text(["rev-parse", ref]);
          assert.deepEqual(texts(await client.read(`${path}/${id}`)).sort(), ["ours", "theirs"]);

          const deadline = Date.now() + PATIENCE_MS;
          const joined = () => git.text(["rev-list", "--parents", "--max-count=1", ref]).split(" ");
          while (git.text(["rev-parse", ref]) === theirs && Date.now() < deadline) {
            await client.read(`${path}/${id}`);
          }
          assert.deepEqual(joined().slice(1, 3), [entry, theirs].sort());
          assert.deepEqual(entriesInRad(project, id, type), new Set([id, entry, theirs, joined()[0]!]));
          // The signatures and the row of `rad` follow the reference; an answer to a write comes after both.
          await client.send("PATCH", `${path}/${id}`, change(id));
          const answer = await client.read(`${path}/${id}`);
          assert.deepEqual(texts(answer).sort(), ["ours", "ours", "theirs"]);
          const place = dirname(project.rad.home);
          const shown = project.rad.rad(
            place,
            path === "/issues" ? "issue" : "patch",
            "show",
            id,
            "--repo",
            rid,
          );
          for (const text of ["ours", "theirs"]) {
            assert.ok(path === "/patches" || shown.includes(text), shown);
          }
          assert.ok(!JSON.stringify(answer).includes("✀"), JSON.stringify(answer));
          if (generation === "newest") await assertSameState(project, type, id);
          assertIntact(project);
          await assertSigned(project);
        });
      }
    });
  }
}
