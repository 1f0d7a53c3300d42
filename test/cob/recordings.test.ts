/** What the real programs made of the objects in stored homes, and what we make of them: not a byte of difference. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { inflate } from "../../adapters/node/zlib.ts";
import { toIssueRow, toPatchRow } from "../../src/cob/rad_cache/cache_rows.ts";
import type { Identity } from "../../src/cob/identity/identity.ts";
import { IdentitySearch } from "../../src/cob/identity/identity_search.ts";
import { type Generation, RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { DamagedError } from "../../src/errors.ts";
import { createSigrefsCache, SigrefsReader } from "../../src/identity/sigrefs.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { parseRid, type RepoId } from "../../src/ids/rid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { createHomeStorage, type HomeStorage } from "../../src/storage/home/storage.ts";
import { toIssueView } from "../../src/views/issue.ts";
import { toPatchView } from "../../src/views/patch.ts";
import { removeFolder, ROOT, temporaryFolder, unpackHome } from "../support/programs.ts";
import { Task } from "../../src/scheduling/task.ts";

/** A line of `rad-cob-show.jsonl.gz`. */
interface Shown {
  readonly home: string;
  readonly rid: RepoId;
  readonly type: string;
  readonly id: Oid;
  readonly show?: Record<string, unknown>;
  readonly cacheRow?: { readonly json: string } | null;
  readonly log?: readonly { readonly id: Oid; readonly parents: readonly Oid[] }[];
}

/** A line of a recording of answers. */
interface Answer {
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

const folder = temporaryFolder("cob-recordings");
const storages = new Map<string, HomeStorage>();
after(() => {
  for (const storage of storages.values()) storage.close();
  removeFolder(folder);
});

function open(home: string, rid: RepoId): Repository {
  let storage = storages.get(home);
  if (storage === undefined) {
    const path = unpackHome(home === "collab" ? "collab.tar.gz" : `today/${home}.tar.gz`, folder);
    storages.set(home, storage = createHomeStorage({ root: join(path, "storage"), fileSystem, inflate }));
  }
  const repository = storage.repository(rid);
  assert.ok(repository);
  return repository;
}

function readLines<T>(name: string): T[] {
  const text = gunzipSync(readFileSync(join(ROOT, "test", "fixtures", name))).toString();
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

function createReader(generation: Generation) {
  const cobs = createCobs(RULES[generation], () => {});
  const indexes = new Map<RepoId, CommitGraph>();
  const indexOf = (rid: RepoId) => indexes.get(rid) ?? indexes.set(rid, new CommitGraph()).get(rid)!;
  const opened = (home: string, rid: RepoId) => ({
    objects: open(home, rid),
    graph: indexOf(rid),
    task: new Task(),
  });
  return {
    issue: (home: string, rid: RepoId, id: Oid) => cobs.issues.get(opened(home, rid), id),
    patch: (home: string, rid: RepoId, id: Oid) => cobs.patches.get(opened(home, rid), id),
    async row(home: string, type: string, rid: RepoId, id: Oid) {
      if (type === "xyz.radicle.issue") {
        const issue = await this.issue(home, rid, id);
        return issue && { json: JSON.stringify(toIssueRow(issue.state)), tips: issue.tips };
      }
      const patch = await this.patch(home, rid, id);
      return patch && { json: JSON.stringify(toPatchRow(patch.state)), tips: patch.tips };
    },
  };
}

const shown = readLines<Shown>("today/rad-cob-show.jsonl.gz");

describe("objects as rad shows them", () => {
  const newest = createReader("newest");
  // In the edge homes the cache is behind what is stored.
  const lines = shown.filter(({ home, type }) => /issue|patch/.test(type) && !/edge/.test(home));
  for (const { home, rid, type, id, show, cacheRow, log } of lines.filter(({ show }) => show !== undefined)) {
    it(`${type} ${id.slice(0, 7)} of ${home}`, async () => {
      const row = await newest.row(home, type, rid, id);
      assert.equal(row?.json, JSON.stringify(show));
      assert.equal(row?.json, cacheRow?.json);
      const parents = new Set(log?.flatMap((entry) => entry.parents));
      if (log) {
        assert.deepEqual(
          row?.tips,
          log.map((entry) => entry.id).filter((oid) => !parents.has(oid)).sort(),
        );
      }
    });
  }

  const early = createReader("2024");
  for (
    const { home, rid, type, id, cacheRow } of lines.filter((line) =>
      line.show === undefined && line.cacheRow
    )
  ) {
    it(`${type} ${id.slice(0, 7)} of ${home}, as rad 0.10 kept it`, async () => {
      const row = await early.row(home, type, rid, id);
      const { revisions = {}, ...rest } = JSON.parse(row!.json);
      const expected = JSON.parse(cacheRow!.json);
      const { revisions: expectedRevisions = {}, ...expectedRest } = expected;
      assert.deepEqual(rest, expectedRest);
      assert.deepEqual(Object.values(revisions).map(toEarlyRevision), Object.values(expectedRevisions));
    });
  }
});

describe("identities as rad shows them", () => {
  for (const { home, rid, id, show } of shown.filter(({ type }) => type === "xyz.radicle.id")) {
    it(`${id.slice(0, 7)} of ${home}`, async () => {
      const repository = open(home, rid);
      const identity = await new IdentitySearch(RULES.newest).evaluate(repository, id, new Task());
      assert.deepEqual(toShownIdentity(identity as Identity), withoutDocs(show!));
      assert.equal(
        await new IdentitySearch(RULES.newest).find(repository, new Task()),
        identity.current,
      );
    });
  }
});

describe("answers of the service of 2024", () => {
  const recordings = {
    "collab": "collab.jsonl.gz",
    "today-collab": "today/v1-f-collab.jsonl.gz",
    "ten-collab": "today/v1-f-ten.jsonl.gz",
    "ten-then-today": "today/v1-f-ten-then-today.jsonl.gz",
  };
  for (const [home, recording] of Object.entries(recordings)) {
    it(`to questions for single objects of ${home}`, async () => {
      const reader = createReader("2024");
      const sigrefs = createSigrefsCache();
      let count = 0;
      for (const { path, status, body } of readLines<Answer>(recording)) {
        const [, project, kind, id] =
          /^\/api\/v1\/projects\/([^/]+)\/(issues|patches)\/([0-9a-f]{40})$/.exec(path) ?? [];
        if (project === undefined || status !== 200) continue;
        const rid = parseRid(project);
        let view: unknown;
        if (kind === "issues") {
          view = toIssueView((await reader.issue(home, rid, id as Oid))!.state, { answers: "objects" });
        } else {
          const patch = (await reader.patch(home, rid, id as Oid))!.state;
          const refs = await new SigrefsReader(open(home, rid), sigrefs, new Task()).read(patch.author).catch(
            (error) => {
              assert.ok(error instanceof DamagedError);
              return undefined;
            },
          );
          view = toPatchView(patch, refs ?? new Map(), { answers: "objects" });
        }
        assert.equal(
          JSON.stringify(sortConflicts(view)),
          JSON.stringify(sortConflicts(withoutAliases(body))),
        );
        count++;
      }
      assert.ok(count > 5, `${count} objects`);
    });
  }
});

/** Rows of `rad` 0.10: revisions and reviews without their ids, summaries as text. */
function toEarlyRevision(revision: unknown): unknown {
  const { id: _, reviews, ...rest } = revision as {
    id: Oid;
    reviews: Record<string, Record<string, unknown>>;
  };
  const early = Object.entries(reviews).map(([author, { id: _, summary, ...review }]) => {
    const [{ body }] = summary as [{ body: string }];
    return [author, { ...review, summary: body }];
  });
  return { ...rest, reviews: Object.fromEntries(early) };
}

function toShownIdentity({ root, current, proposals, timeline }: Identity): object {
  const revisions = [...proposals].map((
    [id, { author, timeSeconds, doc: _, content: __, verdicts, ...proposal }],
  ) => [
    id,
    {
      ...proposal,
      author: { id: didOfNid(author) },
      timestamp: timeSeconds * 1000,
      verdicts: Object.fromEntries(verdicts),
    },
  ]);
  return { root, current, revisions: Object.fromEntries(revisions), timeline };
}

/** Documents are compared elsewhere; the signature of an acceptance is the entry's business. */
function withoutDocs(show: Record<string, unknown>): object {
  const revisions = Object.entries(show["revisions"] as Record<string, Record<string, unknown>>).map(
    ([id, revision]) => {
      const { doc: _, verdicts, ...rest } = revision;
      const plain = Object.entries(verdicts as object).map((
        [node, verdict],
      ) => [node, verdict === "Reject" ? "reject" : "accept"]);
      return [id, { ...rest, verdicts: Object.fromEntries(plain) }];
    },
  );
  return { ...show, revisions: Object.fromEntries(revisions) };
}

function withoutAliases(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, member) => name === "alias" ? undefined : member);
}

/** The real service gives conflicts in any order. */
function sortConflicts(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value),
    (name, member) => name === "conflicts" ? [...member].sort() : member,
  );
}
