/**
 * Actions that today's programs have added, sent below `/repos`: after each, the newest `rad` shows the object and lists the entry, makes of it what we do,
 * and our answer has the recorded shape. A home of 0.10 gets none of them.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import type { CachedType } from "../../src/ports/cob_cache.ts";
import { faultsOf } from "../support/contract.ts";
import { signerOf } from "../support/keys.ts";
import { type Ids, LATER_HISTORIES } from "./action_steps.ts";
import { readRows } from "./cache_rows.ts";
import { createServedHomes } from "./served_homes.ts";
import {
  assertIntact,
  assertSameState,
  assertSigned,
  type Client,
  createWrittenProject,
  entriesInRad,
  RefusedError,
  type WrittenProject,
} from "./written_project.ts";

const { folder, serve } = createServedHomes("today-written");

/** Runs `rad` on the repository of a project. */
function runRad({ rad, rid }: WrittenProject, ...args: string[]): string {
  return rad.rad(dirname(rad.home), ...args, "--repo", rid);
}

/** The row of an object in the objects database. */
function rowOf({ rad }: WrittenProject, type: CachedType, id: string): unknown {
  const row = readRows(rad.home).find((row) => row.type === type && row.id === id);
  return row && JSON.parse(row.text);
}

describe("objects that today's clients changed together with the newest rad", () => {
  let project: WrittenProject, client: Client, url: string;
  before(async () => {
    project = createWrittenProject("newest", join(folder, "newest"));
    const work = join(folder, "newest", "work");
    const rules = JSON.stringify({ "refs/heads/next": { threshold: 1, allow: "delegates" } });
    const payload = ["--payload", "xyz.radicle.crefs", "rules", rules];
    project.rad.rad(
      work,
      "id",
      "update",
      "--title",
      "Rules",
      "--description",
      "",
      ...payload,
      "--no-confirm",
    );
    project.rad.git(work, "push", "--quiet", "rad", "HEAD:refs/heads/next");
    const served = await serve(project, { writes: "repos" });
    ({ client, service: { url } } = served);
  });

  /** An object as today's clients see it, which must fit the contract. */
  const readToday = async (path: string) => {
    const request = new Request(`${url}/api/v1/repos/${project.rid}${path}`);
    const response = await fetch(request);
    const json = await response.json();
    const { status } = response;
    const { pathname } = new URL(request.url);
    assert.deepEqual(faultsOf({ method: "GET", path: pathname, status, headers: [], json }), []);
    return json;
  };

  for (const { type, kind, opening, steps } of LATER_HISTORIES) {
    const path = kind === "issue" ? "/issues" : "/patches";
    it(`${kind}: each action is read by rad, which goes on with it`, async () => {
      const [first, second] = project.commits;
      const { nodeId: node } = await signerOf(project.seed);
      const object = await client.send("POST", path, opening({ first, second }));
      const ids: Record<string, string> = { object, node, first, second };
      const entries = new Set([object]);
      for (const { type: action, as, body, shows = "" } of steps) {
        const entry = await client.send("PATCH", `${path}/${object}`, { type: action, ...body(ids as Ids) });
        if (as !== undefined) ids[as] = entry;
        entries.add(entry);
        assertIntact(project);
        await assertSameState(project, type, object);
        assert.deepEqual(entriesInRad(project, object, type), entries, action);
        const shown = runRad(project, kind, "show", object);
        assert.ok(shown.includes(shows), `${action}: "${shows}" is not in\n${shown}`);
        await readToday(`${path}/${object}`);
      }
      const row = rowOf(project, type, object);
      runRad(project, kind, "cache");
      assert.deepEqual(rowOf(project, type, object), row);
      runRad(project, kind, "label", object, "--add", "theirs", "--no-announce");
      assert.deepEqual((await readToday(`${path}/${object}`)).labels, ["light", "theirs"]);
    });
  }

  it("are shown to today's clients with branch, summary and state", async () => {
    const [patch] = await readToday("/patches?status=merged");
    assert.equal(patch.title, "A lamp for the shed");
    assert.deepEqual(patch.target, { branch: "refs/heads/next" });
    const [{ summary, verdict }] = patch.revisions[0].reviews;
    assert.deepEqual([summary, verdict], ["", "accept"]);
  });

  it("have signed references that rad believes", () => assertSigned(project));
});

describe("a home of rad 0.10", () => {
  it("gets no action that its programs would drop", async () => {
    const project = createWrittenProject("0.10", join(folder, "0.10"));
    const { client } = await serve(project, { writes: "repos" });
    const [first, second] = project.commits;
    for (const { kind, type, opening, steps } of LATER_HISTORIES) {
      const path = kind === "issue" ? "/issues" : "/patches";
      const object = await client.send("POST", path, opening({ first, second }));
      const later = steps.filter(({ type, body }) => {
        const { reaction, target } = body({ object, first, second } as Ids);
        return type === "review.edit.v2" || type === "review.react" || target !== undefined ||
          typeof reaction === "string" && reaction !== "✨";
      });
      assert.ok(later.length > 0);
      for (const { type, body } of later) {
        const ids = {
          object,
          first,
          second,
          comment: object,
          review: object,
          revision: object,
          note: object,
        };
        await assert.rejects(
          () => client.send("PATCH", `${path}/${object}`, { type, ...body(ids) }),
          (error: unknown) => error instanceof RefusedError && error.status === 422,
        );
      }
      assert.deepEqual(entriesInRad(project, object, type), new Set([object]));
    }
  });
});
