/** Answers from derived data are those of a service that computes everything, to recorded requests. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { inflate } from "../../adapters/node/zlib.ts";
import { type Api, createApi } from "../../mod.ts";
import { RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { DerivedFile } from "../../src/ports/derived_data.ts";
import type { Repository, Storage } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { createMemoryDerived, withDerived } from "../support/derived.ts";
import { removeFolder, ROOT, temporaryFolder, unpackHome } from "../support/programs.ts";
import { ALICE } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

const NOW_MS = 1_700_000_000_000;
/** Requests to one process: the next one has read nothing yet. */
const REQUESTS_OF_PROCESS = 20;
/** Requests of each recording, taken evenly. */
const REQUESTS = 80;
/** Bodies up to this length are compared as text, in bytes; of longer ones the digest. */
const SHOWN_BYTES = 4096;
const HOMES = [
  { home: "collab.tar.gz", recording: "collab.jsonl.gz" },
  { home: "today/today-collab.tar.gz", recording: "today/x-collab.jsonl.gz" },
  { home: "browse.tar.gz", recording: "browse-general.jsonl.gz" },
];

const folder = temporaryFolder("derived-answers");
after(() => removeFolder(folder));

/** Paths of the recorded reads, each once. */
function recordedPaths(name: string): readonly string[] {
  const text = gunzipSync(readFileSync(join(ROOT, "test", "fixtures", name))).toString();
  const lines = text.trim().split("\n").map((line) => JSON.parse(line) as { method?: string; path: string });
  const paths = [...new Set(lines.filter(({ method = "GET" }) => method === "GET").map(({ path }) => path))];
  return paths.filter((_, i) => i % Math.ceil(paths.length / REQUESTS) === 0);
}

/** The storage with derived data of all repositories. */
async function derive(storage: Storage): Promise<Storage> {
  const repositories = new Map<RepoId, Repository>();
  const [cobs, graphs] = [createCobs(RULES.newest, () => {}), new CommitGraphs({ log: () => {} })];
  for (const rid of await storage.repositoryIds()) {
    const repository = (await storage.repository(rid))!;
    const derived = createMemoryDerived();
    const write = (file: DerivedFile) => derived.write(file);
    const graph = graphs.of(rid);
    for (
      const root of [
        await cobs.issues.save({ objects: repository, graph, task: new Task() }, undefined, write),
        await cobs.patches.save({ objects: repository, graph, task: new Task() }, undefined, write),
      ]
    ) if (root !== undefined) derived.publish(root);
    repositories.set(rid, withDerived(repository, derived));
  }
  await graphs.close();
  return { repositoryIds: () => [...repositories.keys()], repository: (rid) => repositories.get(rid) };
}

const open = (storage: Storage) =>
  createApi({
    storage,
    profile: { nodeId: ALICE, pinned: () => [] },
    loadLibgit2,
    environment: { now: () => NOW_MS },
  });

async function ask(api: Api, path: string) {
  const answer = await api.fetch(new Request(`http://localhost${path}`));
  const body = Buffer.from(await answer.arrayBuffer());
  const shown = body.length > SHOWN_BYTES ? createHash("sha256").update(body).digest("hex") : body.toString();
  return { path, status: answer.status, headers: Object.fromEntries(answer.headers), body: shown };
}

describe("answers from derived data", () => {
  for (const { home, recording } of HOMES) {
    it(`to the requests of ${recording} are the computed ones`, async () => {
      const root = join(unpackHome(home, folder), "storage");
      const storage = createHomeStorage({ root, fileSystem, inflate });
      const saved = await derive(storage);
      const paths = recordedPaths(recording);
      for (let at = 0; at < paths.length; at += REQUESTS_OF_PROCESS) {
        const [replica, computing] = [open(saved), open(storage)];
        for (const path of paths.slice(at, at + REQUESTS_OF_PROCESS)) {
          assert.deepEqual(await ask(replica, path), await ask(computing, path));
        }
        await Promise.all([replica.close(), computing.close()]);
      }
      storage.close();
      assert.ok(paths.length > REQUESTS / 2, `${paths.length} requests`);
    });
  }
});
