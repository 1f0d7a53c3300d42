/**
 * Random changes by several nodes that know of each other's only now and then, so that their entries are concurrent: what the real programs of both
 * generations make of them is what we make of them, in whatever order references are listed.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import * as v from "valibot";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { toIssueRow, toPatchRow } from "../../src/cob/rad_cache/cache_rows.ts";
import { type ServedActions, toChange } from "../../src/cob/write/change.ts";
import { draftIssue } from "../../src/cob/write/issue_request.ts";
import {
  checkPatchAction,
  completeLocation,
  draftPatch,
  PatchRequest,
} from "../../src/cob/write/patch_request.ts";
import { RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { CoreError } from "../../src/errors.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { type Oid, parseOid } from "../../src/ids/oid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import { isWritable, type Repository, type WritableRepository } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { createWriter } from "../cob/fixture_world.ts";
import { createRandom, type Random } from "../cob/random.ts";
import { NOWHERE, randomIssueAction, randomPatchBody } from "../cob/random_changes.ts";
import { GitRepository } from "../support/git.ts";
import { signerOf } from "../support/keys.ts";
import { GENERATIONS, removeFolder, temporaryFolder } from "../support/programs.ts";
import { readRows, type Row, withoutIds, writeRows } from "./cache_rows.ts";
import { assertIntact, createWrittenProject, type WrittenProject } from "./written_project.ts";
import { Task } from "../../src/scheduling/task.ts";

const SEEDS = [1, 2];
/** Issues and patches of each history. */
const OBJECTS = 2;
/** How often the nodes learn of each other's changes, and how many each makes of every object between. */
const ROUNDS = 5;
const CHANGES = 4;

const folder = temporaryFolder("random-changes");
after(() => removeFolder(folder));

/** One node's copy of the repository, and what it writes with. */
interface Desk {
  readonly git: GitRepository;
  readonly repository: WritableRepository;
  readonly signer: Signer;
  readonly writing: ReturnType<typeof createWriter>;
}

/** Objects with the ids of their entries. */
interface Objects {
  readonly issues: Map<Oid, Oid[]>;
  readonly patches: Map<Oid, Oid[]>;
}

/** The clock of all: not always forward, and often still. */
function createClock(random: Random): () => number {
  let seconds = 1_700_000_000;
  return () => seconds += random.below(4) - 1;
}

function openDesk(place: string, signer: Signer, { rid }: WrittenProject, nowSeconds: () => number): Desk {
  const repository = createHomeStorage({ root: place, fileSystem }).repository(rid);
  assert.ok(repository && isWritable(repository));
  const writing = createWriter({ repository, signer }, { rules: "newest", nowSeconds });
  return { git: new GitRepository(join(place, rid.slice("rad:".length))), repository, signer, writing };
}

/** One random change of each object; those that it does not take leave it as it was. */
async function change(
  desk: Desk,
  random: Random,
  objects: Objects,
  commits: readonly Oid[],
  served: ServedActions,
): Promise<void> {
  const { repository, signer, writing: { writer, place, issues, patches } } = desk;
  for (const [id, ids] of objects.issues) {
    const action = randomIssueAction(random, [...ids, NOWHERE], signer.nodeId, served);
    await attempt(ids, () => writer.update(issues, place, id, () => toChange(repository, action)));
  }
  for (const [id, ids] of objects.patches) {
    await attempt(ids, async () => {
      const body = randomPatchBody(random, [...ids, NOWHERE], commits, signer.nodeId, served);
      const action = checkPatchAction(v.parse(PatchRequest, body), [RULES.newest], served);
      return await writer.update(
        patches,
        place,
        id,
        (state) => toChange(repository, completeLocation(state, action)),
      );
    });
  }
}

async function attempt(ids: Oid[], write: () => Promise<Oid>): Promise<void> {
  try {
    ids.push(await write());
  } catch (error) {
    assert.ok(error instanceof CoreError, String(error));
  }
}

/** What rows say, by object. */
function statesOf(rows: readonly Row[]): ReadonlyMap<Oid, unknown> {
  return new Map(rows.map(({ id, text }) => [id, withoutIds(text)]));
}

/** The repository with its references listed in another order. */
function shuffled(repository: Repository, random: Random): Repository {
  return {
    rid: repository.rid,
    ref: (name) => repository.ref(name),
    refs: async (prefix) => random.shuffle(await repository.refs(prefix)),
    object: (oid) => repository.object(oid),
    objects: (oids) => repository.objects(oids),
    header: (oid) => repository.header(oid),
  };
}

for (const generation of GENERATIONS) {
  describe(`random changes that rad ${generation} evaluates`, () => {
    for (const seed of SEEDS) {
      it(`come to what they come to here (${seed})`, async (test) => {
        const random = createRandom(seed);
        const project = createWrittenProject(generation, join(folder, `${generation}-${seed}`));
        const { rad, rid, git, seed: secret } = project;
        const commits = project.commits.map(parseOid);
        const clock = createClock(random);
        const served = generation === "newest" ? "all" : "early";
        const copies = join(folder, `${generation}-${seed}-copies`);
        const others = ["11", "22"].map((byte) => {
          const place = join(copies, byte);
          mkdirSync(place, { recursive: true });
          cpSync(git.path, join(place, basename(git.path)), { recursive: true });
          return { place, secret: byte.repeat(32) };
        });
        const places = [{ place: join(rad.home, "storage"), secret }, ...others];
        const desks = await Promise.all(
          places.map(async ({ place, secret }) => openDesk(place, await signerOf(secret), project, clock)),
        );
        const exchange = () => {
          for (const to of desks) {
            for (const from of desks) {
              const namespace = `refs/namespaces/${from.signer.nodeId}/*`;
              if (to !== from) to.git.run(["fetch", "--quiet", from.git.path, `+${namespace}:${namespace}`]);
            }
          }
        };

        const objects: Objects = { issues: new Map(), patches: new Map() };
        for (let n = 0; n < OBJECTS; n++) {
          const { repository, writing: { writer, place, issues, patches } } = random.pick(desks);
          const words = { title: `${n}`, description: "d", labels: [] };
          const issue = await draftIssue(repository, { ...words, assignees: [], embeds: [] });
          const id = await writer.create(issues, place, issue);
          objects.issues.set(id, [id]);
          const patch = { ...words, target: commits[0]!, oid: commits[1]! };
          const revision = await writer.create(
            patches,
            place,
            await draftPatch({ objects: repository, graph: place.graph, task: new Task() }, patch),
          );
          objects.patches.set(revision, [revision]);
        }
        for (let round = 0; round < ROUNDS; round++) {
          exchange();
          for (const desk of random.shuffle(desks)) {
            for (let n = 0; n < CHANGES; n++) await change(desk, random, objects, commits, served);
          }
        }
        exchange();

        for (const kind of ["issue", "patch"]) rad.rad(dirname(rad.home), kind, "cache", "--repo", rid);
        const theirs = readRows(rad.home);
        assert.equal(theirs.length, 2 * OBJECTS);
        await writeRows(rad.home, theirs);
        const ours = readRows(rad.home);
        assert.deepEqual(statesOf(ours), statesOf(theirs));

        if (generation === "newest") {
          // Somebody who knows nothing yet, and those who have written.
          const afresh = createCobs(RULES.newest, (_level, message) => assert.fail(message));
          for (const { issues, patches } of [afresh, ...desks.map(({ writing }) => writing)]) {
            const repository = shuffled(desks[0]!.repository, random);
            const graph = new CommitGraph();
            const listed = [
              ...(await issues.list({ objects: repository, graph, task: new Task() })).map(toIssueRow),
              ...(await patches.list({ objects: repository, graph, task: new Task() })).map((patch) =>
                toPatchRow(patch, "newest")
              ),
            ];
            assert.deepEqual(listed.map((row) => JSON.stringify(row)), theirs.map(({ text }) => text));
          }
        }
        assertIntact(project);
        const taken = [...objects.issues.values(), ...objects.patches.values()].flat().length;
        test.diagnostic?.(`${taken} changes of ${2 * OBJECTS * (ROUNDS * CHANGES * desks.length + 1)} taken`);
      });
    }
  });
}
