// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures how long it takes to list issues: for the first time, again, and after changes. Works on each
 * runtime: `node bench/cobs.ts [issues] [comments]`.
 */
import { createPrivateKey, sign } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { deflateSync } from "node:zlib";
import { fileSystem } from "../adapters/node/file_system.ts";
import { inflate } from "../adapters/node/zlib.ts";
import { createApi } from "../mod.ts";
import { RULES } from "../src/cob/rules.ts";
import { createCobs } from "../src/cob/evaluation/store.ts";
import { CommitGraph } from "../src/git/commit_graph.ts";
import type { NodeId } from "../src/ids/nid.ts";
import type { Oid } from "../src/ids/oid.ts";
import { createHomeStorage, type HomeStorage } from "../src/storage/home/storage.ts";
import { createMemoryStorage, type MemoryRepository } from "../src/storage/memory.ts";
import { createWriter, ENTRY_SECONDS, putEntry, type Writer } from "../test/cob/entries.ts";
import { buildPack, type PackEntry } from "../test/storage/home/pack_builder.ts";
import { GitRepository, makeFolder, removeFolder } from "../test/support/git.ts";
import { createRepository, putCommit, setHead } from "../test/support/world.ts";
import { Task } from "../src/scheduling/task.ts";

const TYPE = "xyz.radicle.issue";
const ROUNDS = 15;
const LONG = 20_000;
const BODY =
  "It happens when the shuttle is loaded twice, and not only on Mondays.\n\n- [ ] warp\n- [ ] weft\n".repeat(
    3,
  );

const [issues = 1000, comments = 20] = process.argv.slice(2).map(Number);
const root = makeFolder();
const { rid, writers, tips, long, put } = build();
try {
  const { versions } = process;
  const runtime = versions["bun"]
    ? `Bun ${versions["bun"]}`
    : versions["deno"]
    ? `Deno ${versions["deno"]}`
    : `Node.js ${versions.node}`;
  print(`${runtime}, ${cpus()[0]?.model} × ${cpus().length}; ${issues} issues of ${comments} comments`);
  const storage = createHomeStorage({ root, fileSystem, inflate });
  await measureStore(storage);
  await measureApi(storage);
  await measureLong(storage);
  storage.close();
} finally {
  removeFolder(root);
}

async function measureStore(storage: HomeStorage): Promise<void> {
  const graph = new CommitGraph();
  const { issues: store } = createCobs(RULES.newest, (_level, message) => print(message));
  const list = () => store.list({ objects: storage.repository(rid)!, graph, task: new Task() });
  const entries = issues * (comments + 1);
  const turns = watchTurns();
  const coldMs = await time(list);
  print(
    `first list: ${coldMs.toFixed(0)} ms, ${(coldMs * 1000 / entries).toFixed(0)} µs an entry; longest turn ${
      turns().toFixed(0)
    } ms`,
  );
  report("list again", await spread(list));
  const [id, tip] = [...tips][0]!;
  report(
    "list after a comment",
    await spread(list, (round) => setTip(id, round === 0 ? tip : tips.get(id)!)),
  );
  report("list after a comment beside others", await spread(list, (round) => setTip(id, tip, round)));
}

async function measureApi(storage: HomeStorage): Promise<void> {
  const api = createApi({
    storage,
    profile: { nodeId: writers[0]!.nid, pinned: () => [] },
    loadLibgit2: () => Promise.reject(new Error("no diffs here")),
  });
  for (const path of ["issues", "issues?page=50", "issues?perPage=1000", `issues/${[...tips][0]![0]}`, ""]) {
    const ask = async () => {
      const response = await api.fetch(
        new Request(`http://localhost/api/v1/projects/${rid}${path && "/"}${path}`),
      );
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    };
    await ask();
    report(`GET ${path || "the project"}`, await spread(ask));
  }
}

async function measureLong(storage: HomeStorage): Promise<void> {
  const graph = new CommitGraph();
  const { issues: store } = createCobs(RULES.newest, () => {});
  const get = () => store.get({ objects: storage.repository(rid)!, graph, task: new Task() }, long.id);
  setRef(writers[0]!.nid, long.id, long.tip);
  const turns = watchTurns();
  const coldMs = await time(get);
  const each = coldMs * 1000 / long.comments;
  print(
    `an issue of ${long.comments} comments: ${coldMs.toFixed(0)} ms, ${
      each.toFixed(0)
    } µs an entry; longest turn ${turns().toFixed(0)} ms`,
  );
  let { tip } = long;
  report(
    "the same after a comment",
    await spread(get, (round) => setRef(writers[0]!.nid, long.id, tip = comment(long.id, tip, round))),
  );
}

function setTip(id: Oid, below: Oid, round = 0): void {
  const entry = comment(id, below, round);
  tips.set(id, entry);
  setRef(writers[round % 2]!.nid, id, entry);
}

function comment(id: Oid, below: Oid, n: number): Oid {
  return put(writers[n % 2]!, [{ type: "comment", body: `${n}: ${BODY}`, replyTo: id }], [below], n);
}

function setRef(node: NodeId, id: Oid, entry: Oid): void {
  const folder = join(root, rid.slice(4), "refs/namespaces", node, "refs/cobs", TYPE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, id), `${entry}\n`);
}

/**
 * Makes a bare, packed repository with the issues, which two nodes write in turn. One more issue has as many
 * comments as all others together, up to {@link LONG}.
 */
function build() {
  const memory = createMemoryStorage();
  const nodes = [1, 2].map(createFastWriter);
  const model = createRepository(memory, { name: "bench", delegates: [nodes[0]!.nid] });
  const identity = model.ref("refs/rad/id")!.oid!;
  const git = GitRepository.create(join(root, model.rid.slice(4)));
  const packed = new Map<Oid, PackEntry>();
  let isPacked = false;
  const storing: MemoryRepository = {
    ...model,
    put(kind, bytes) {
      const oid = model.put(kind, bytes);
      if (isPacked) storeLoose(git.path, kind, bytes, oid);
      else packed.set(oid, { oid, kind, data: bytes.slice() });
      return oid;
    },
  };
  const putOne = (writer: Writer, actions: readonly unknown[], parents: readonly Oid[], n = 0) =>
    putEntry(storing, { writer, actions, parents, resource: identity, timeSeconds: ENTRY_SECONDS + n });
  createRepository({ ...memory, create: () => storing }, { name: "bench", delegates: [nodes[0]!.nid] });
  setHead(storing, putCommit(storing, { folder: { README: "bench" }, message: "Start" }));
  const refs = [`${model.ref("refs/heads/master")!.oid} refs/heads/master`, `${identity} refs/rad/id`];
  const open = (i: number, length: number) => {
    const id = putOne(
      nodes[0]!,
      [{ type: "comment", body: BODY }, { type: "edit", title: `Issue ${i}` }],
      [],
      i,
    );
    const byNode = [id, id];
    let tip = id;
    for (let n = 1; n <= length; n++) {
      const actions = [{ type: "comment", body: `${n}: ${BODY}`, replyTo: id }];
      byNode[n % 2] = tip = putOne(nodes[n % 2]!, actions, [tip], i + n);
    }
    return { id, byNode, tip };
  };
  const last = new Map<Oid, Oid>();
  for (let i = 0; i < issues; i++) {
    const { id, byNode, tip } = open(i, comments);
    last.set(id, tip);
    for (const [n, { nid }] of nodes.entries()) {
      refs.push(`${byNode[n]} refs/namespaces/${nid}/refs/cobs/${TYPE}/${id}`);
    }
  }
  const length = Math.min(issues * comments, LONG);
  const { id, tip } = open(issues, length);
  const longRef = `${tip} refs/namespaces/${nodes[0]!.nid}/refs/cobs/${TYPE}/${id}`;
  const name = (line: string) => line.slice(41);
  const write = (lines: readonly string[]) => {
    const sorted = lines.toSorted((a, b) => name(a) < name(b) ? -1 : 1).join("\n");
    writeFileSync(join(git.path, "packed-refs"), `# pack-refs with: peeled fully-peeled sorted\n${sorted}\n`);
  };
  write([...refs, longRef]);
  git.setSymbolicRef("HEAD", "refs/heads/master");
  const file = join(root, "all.pack");
  writeFileSync(file, buildPack([...packed.values()]).pack);
  git.run(["index-pack", file]);
  mkdirSync(join(git.path, "objects/pack"), { recursive: true });
  for (const kind of ["pack", "idx"]) {
    writeFileSync(join(git.path, `objects/pack/pack-all.${kind}`), readFileSync(join(root, `all.${kind}`)));
  }
  git.run(["repack", "-a", "-d", "-q"]);
  write(refs);
  isPacked = true;
  return { rid: model.rid, writers: nodes, tips: last, long: { id, tip, comments: length }, put: putOne };
}

/** Stores a loose object, as git does. */
function storeLoose(path: string, kind: string, bytes: Uint8Array, oid: Oid): void {
  mkdirSync(join(path, "objects", oid.slice(0, 2)), { recursive: true });
  const content = new Uint8Array([...new TextEncoder().encode(`${kind} ${bytes.length}\0`), ...bytes]);
  writeFileSync(join(path, "objects", oid.slice(0, 2), oid.slice(2)), deflateSync(content, { level: 1 }));
}

/** Like other test writers, but with the runtime's own signatures, which are faster. */
function createFastWriter(byte: number): Writer {
  const seed = Uint8Array.from({ length: 32 }, () => byte);
  const prefix = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);
  const pem = btoa(String.fromCharCode(...prefix, ...seed));
  const key = createPrivateKey(`-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----\n`);
  return { ...createWriter(byte), sign: (bytes) => new Uint8Array(sign(null, bytes, key)) };
}

/**
 * Starts to measure the longest time for which nothing else gets a turn. Call the returned function to stop.
 */
function watchTurns(): () => number {
  let [longestMs, lastMs, isOver] = [0, performance.now(), false];
  const watch = () => {
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
    if (!isOver) setTimeout(watch, 0);
  };
  setTimeout(watch, 0);
  return () => {
    isOver = true;
    return Math.max(longestMs, performance.now() - lastMs);
  };
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}

/** Milliseconds of each round, ascending. The time of `prepare` is not counted. */
async function spread(run: () => Promise<unknown>, prepare?: (round: number) => void): Promise<number[]> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    prepare?.(round);
    rounds.push(await time(run));
  }
  return rounds.sort((a, b) => a - b);
}

function report(what: string, rounds: readonly number[]): void {
  const [fastest, median, slowest] = [rounds[0]!, rounds[rounds.length >> 1]!, rounds.at(-1)!].map((ms) =>
    ms.toFixed(2)
  );
  print(`${what}: ${fastest}, ${median}, ${slowest} ms (fastest, median, slowest of ${rounds.length})`);
}

function print(line: string): void {
  console.log(line);
}
