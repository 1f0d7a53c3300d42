// Your own storage, which reads each bare repository through one `git cat-file` process.
// Run: node_modules/.bin/node examples/custom_storage.ts ~/.radicle/storage [PORT]
// Needs Node.js 24.2 or newer, because earlier versions do not have `import.meta.main`.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import * as xylem from "../mod.ts";
import { createServer, loadLibgit2 } from "../adapters/node/mod.ts";

const run = promisify(execFile);

/**
 * Returns a storage of the repositories in a folder. The name of each subfolder is a repository id without
 * `rad:`. The method `close` ends the git processes.
 */
export function gitStorage(folder: string): xylem.Storage & { close(): void } {
  const opened = new Map<xylem.RepoId, { repository: xylem.Repository; git: CatFile }>();
  const repositoryIds = async () =>
    (await readdir(folder)).filter((name) => /^z\w+$/.test(name)).map(xylem.parseRid);
  return {
    repositoryIds,
    async repository(rid) {
      if (!(await repositoryIds()).includes(rid)) return undefined;
      const path = join(folder, rid.slice("rad:".length));
      if (!opened.has(rid)) {
        const git = catFile(path);
        opened.set(rid, { repository: gitRepository(rid, path, git), git });
      }
      return opened.get(rid)?.repository;
    },
    close: () => opened.forEach(({ git }) => git.close()),
  };
}

function gitRepository(rid: xylem.RepoId, path: string, git: CatFile): xylem.Repository {
  const object = async (oid: xylem.Oid, limits?: xylem.ReadLimits) => {
    const header = await git.info(oid);
    if (header !== undefined) xylem.checkObjectSize(header, limits);
    return header && { kind: header.kind, bytes: await git.contents(oid) };
  };
  return {
    rid,
    async ref(name) {
      const head = name === "HEAD" ? await readFile(join(path, name), "utf8") : "";
      const target = /^ref: (\S+)/.exec(head)?.[1];
      if (target !== undefined) return { name, target };
      const found = await git.info(name);
      return found && { name, oid: found.oid };
    },
    async refs(prefix) {
      const args = ["for-each-ref", "--format=%(refname) %(objectname)", prefix.replace(/\/$/, "/**")];
      const { stdout } = await run("git", ["--git-dir", path, ...args], { maxBuffer: 2 ** 28 });
      const lines = stdout.split("\n").filter(Boolean).map((line) => line.split(" ") as [string, xylem.Oid]);
      return lines.map(([name, oid]) => ({ name, oid }));
    },
    header: (oid) => git.info(oid),
    object,
    objects: (oids, limits) => Promise.all(oids.map((oid) => object(oid, limits).catch(noneIfTooLarge))),
  };
}

function noneIfTooLarge(error: unknown): undefined {
  if (!(error instanceof xylem.TooLargeError)) throw error;
}

type CatFile = ReturnType<typeof catFile>;

/** Starts `git cat-file --batch-command`, which answers each line with an object or its size. */
function catFile(path: string) {
  const { stdin, stdout } = spawn("git", ["--git-dir", path, "cat-file", "--batch-command"]);
  let last: Promise<unknown> = Promise.resolve();
  const output = stdout[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  /** Reads the next bytes of the output. The output arrives in chunks of any size. */
  const read = async (length: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length;) {
      if (rest.length === 0) rest = (await output.next()).value ?? assert.fail("git has ended");
      const part = rest.subarray(0, length - filled);
      bytes.set(part, filled);
      filled += part.length;
      rest = rest.subarray(part.length);
    }
    return bytes;
  };
  /**
   * Sends a command, and reads a response of the form `<oid> <kind> <size>`. For an absent object, git
   * responds with `missing`.
   */
  const ask = async (command: string) => {
    stdin.write(`${command}\n`);
    let line = "";
    for (let byte; (byte = (await read(1))[0]!) !== 10;) line += String.fromCharCode(byte);
    const [, oid, kind, size] = /^([0-9a-f]{40}) (\w+) (\d+)$/.exec(line) ?? [];
    return size && { oid: oid as xylem.Oid, kind: kind as xylem.ObjectKind, size: Number(size) } || undefined;
  };
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const result = last.then(step);
    last = result.catch(() => {});
    return result;
  };
  return {
    /** Returns the id, kind and size of an object. The name is its id, or the name of a reference. */
    info: (name: string) => inTurn(() => ask(`info ${name}`)),
    contents: (oid: xylem.Oid) =>
      inTurn(async () => (await read((await ask(`contents ${oid}`))!.size + 1)).subarray(0, -1)),
    close: () => stdin.end(),
  };
}

if (import.meta.main) {
  const [folder = ".", port = "8080"] = process.argv.slice(2);
  const nodeId = xylem.parseNid("z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi");
  const api = xylem.createApi({
    storage: gitStorage(folder),
    profile: { nodeId, pinned: () => [] },
    loadLibgit2,
  });
  const address = { transport: "tcp", hostname: "127.0.0.1", port: Number(port) } as const;
  const server = await createServer(api.fetch, { address });
  process.stdout.write(`${JSON.stringify(server.address)}\n`);
}
