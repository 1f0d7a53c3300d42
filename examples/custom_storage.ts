// A storage of your own: bare repositories read through the `git` program.
// Run: node examples/custom_storage.ts ~/.radicle/storage
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import {
  checkObjectSize,
  createApi,
  DamagedError,
  type ObjectKind,
  type Oid,
  parseNid,
  parseRid,
  type ReadLimits,
  type Ref,
  type RepoId,
  type Repository,
  type Storage,
} from "../mod.ts";
import { createServer, loadLibgit2 } from "../adapters/node/mod.ts";

const run = promisify(execFile);

/** Repositories in a folder; the folder of each is named by its id without `rad:`. */
export function gitStorage(folder: string): Storage {
  return {
    repositoryIds: async () => (await readdir(folder)).filter((name) => name.startsWith("z")).map(parseRid),
    repository: async (rid) =>
      (await readdir(folder)).includes(rid.slice(4))
        ? gitRepository(rid, join(folder, rid.slice(4)))
        : undefined,
  };
}

function gitRepository(rid: RepoId, path: string): Repository {
  const git = async (...args: string[]): Promise<Uint8Array> =>
    (await run("git", ["--git-dir", path, ...args], { encoding: "buffer", maxBuffer: 2 ** 30 })).stdout;
  const text = async (...args: string[]): Promise<string> =>
    new TextDecoder().decode(await git(...args)).trim();
  const header = async (oid: Oid) => {
    const kind = await text("cat-file", "-t", oid).catch(() => undefined) as ObjectKind | undefined;
    return kind && { kind, size: Number(await text("cat-file", "-s", oid)) };
  };
  const object = async (oid: Oid, limits?: ReadLimits) => {
    const found = await header(oid);
    if (found !== undefined) checkObjectSize(found, limits);
    return found && { kind: found.kind, bytes: await git("cat-file", found.kind, oid) };
  };
  return {
    rid,
    async ref(name): Promise<Ref | undefined> {
      const target = await text("symbolic-ref", "--quiet", name).catch(() => "");
      if (target !== "") return { name, target };
      const oid = await text("rev-parse", "--verify", "--quiet", name).catch(() => "");
      return oid === "" ? undefined : { name, oid: oid as Oid };
    },
    async refs(prefix): Promise<Ref[]> {
      const lines = await text(
        "for-each-ref",
        "--format=%(refname) %(objectname)",
        prefix.replace(/\/$/, "/**"),
      );
      return lines.split("\n").filter(Boolean).map((line) => {
        const [name, oid] = line.split(" ") as [string, Oid];
        return { name, oid };
      });
    },
    header,
    object,
    objects: (oids, limits) => Promise.all(oids.map((oid) => object(oid, limits).catch(noneIfDamaged))),
  };
}

function noneIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedError)) throw error;
}

if (import.meta.main) {
  const nodeId = parseNid("z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi");
  const storage = gitStorage(process.argv[2] ?? ".");
  const api = createApi({ storage, profile: { nodeId, pinned: () => [] }, loadLibgit2 });
  const server = await createServer(api.fetch, {
    address: { transport: "tcp", hostname: "127.0.0.1", port: 8080 },
  });
  process.stdout.write(`${JSON.stringify(server.address)}\n`);
}
