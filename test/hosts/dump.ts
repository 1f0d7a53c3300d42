/** The repositories of the project's home as data, for hosts without files. */
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createApi, type ObjectKind, parseNid, parseRid, type Ref, type RepoId } from "../../mod.ts";
import { createMemoryStorage, type MemoryStorage } from "../../src/storage/memory.ts";
import { loadLibgit2 } from "../../src/diff/libgit2/carried.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { SHAPES } from "../adapters/large_diff.ts";
import { HOME, lineOf, PATHS } from "./consumer.ts";

/** The local node of hosts without files. */
export const NODE_ID = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";

const MAX_OUTPUT = 2 ** 28;

/** A repository as data. */
export interface RepositoryDump {
  readonly rid: RepoId;
  readonly refs: readonly Ref[];
  readonly objects: readonly { readonly kind: ObjectKind; readonly oid: Oid; readonly base64: string }[];
}

/** The repository of the home that {@link PATHS} ask for. */
export function dumpHome(): readonly RepositoryDump[] {
  const storage = join(HOME, "storage");
  return [SHAPES.slice("rad:".length)].map((name) => {
    const git = (...args: string[]) =>
      execFileSync("git", ["--git-dir", join(storage, name), ...args], { maxBuffer: MAX_OUTPUT });
    const lines = git("for-each-ref", "--format=%(refname) %(objectname) %(symref)").toString().trim().split(
      "\n",
    );
    const refs: Ref[] = lines.map((line) => {
      const [name = "", oid = "", target = ""] = line.split(" ");
      return target === "" ? { name, oid: oid as Oid } : { name, target };
    });
    refs.unshift({ name: "HEAD", target: git("symbolic-ref", "HEAD").toString().trim() });
    return {
      rid: parseRid(`rad:${name}`),
      refs,
      objects: objectsOf(git("cat-file", "--batch-all-objects", "--batch")),
    };
  });
}

/** The objects in what `git cat-file --batch` writes. */
function objectsOf(output: Uint8Array): RepositoryDump["objects"] {
  const objects: { kind: ObjectKind; oid: Oid; base64: string }[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0x0a, at);
    const [oid, kind, size] = new TextDecoder().decode(output.subarray(at, end)).split(" ");
    const content = output.subarray(end + 1, end + 1 + Number(size));
    objects.push({
      oid: oid as Oid,
      kind: kind as ObjectKind,
      base64: Buffer.from(content).toString("base64"),
    });
    at = end + 2 + Number(size);
  }
  return objects;
}

/** Puts repositories into a storage in memory. Also the source text for hosts. */
export function fill(storage: MemoryStorage, dump: readonly RepositoryDump[]): void {
  for (const { rid, refs, objects } of dump) {
    const repository = storage.create(rid);
    for (const { kind, base64 } of objects) {
      repository.put(kind, Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
    }
    for (const { name, oid, target } of refs) {
      if (oid !== undefined) repository.setRef(name, oid);
      else if (target !== undefined) repository.setSymbolicRef(name, target);
    }
  }
}

/** The answers of the work tree to {@link PATHS} from a storage in memory. */
export async function expectedFromMemory(dump: readonly RepositoryDump[]): Promise<string[]> {
  const storage = createMemoryStorage();
  fill(storage, dump);
  const api = createApi({ storage, profile: { nodeId: parseNid(NODE_ID), pinned: () => [] }, loadLibgit2 });
  const lines: string[] = [];
  for (const path of PATHS) lines.push(await lineOf(await api.fetch(new Request(`http://localhost${path}`))));
  await api.close();
  return lines;
}
