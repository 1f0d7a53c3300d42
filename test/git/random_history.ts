/** Histories by chance, the same for the same seed: merges, renamed folders, removed and revived files, files that become folders and links. */
import type { Oid } from "../../src/ids/oid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { type Folder, putCommit } from "../support/world.ts";

/** A history, oldest commit first. */
export interface RandomHistory {
  readonly repository: MemoryRepository;
  readonly commits: readonly Oid[];
  /** Every path that ever was in it, and some that never were. */
  readonly paths: readonly string[];
}

type Content = Folder[string];
type MutableFolder = { [name: string]: Content };

const NAMES = ["a", "b", "c", "d.txt", "a.b", "a-b"];

/** A history of so many commits. */
export function randomHistory(seed: number, count: number): RandomHistory {
  const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
  const below = numbers(seed);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const made: { oid: Oid; folder: MutableFolder }[] = [];
  const paths = new Set(["never", "a/never", "a/b/c/never"]);
  for (let i = 0; i < count; i++) {
    const parents = i === 0 ? [] : below(40) === 0 ? [] : [made[Math.max(0, i - 1 - below(4))]!];
    if (parents.length > 0) { while (below(4) === 0) parents.push(made[Math.max(0, i - 1 - below(8))]!); }
    // A merge may take what either side has, or something else.
    const folder = structuredClone(parents.length === 0 ? {} : pick(parents).folder);
    for (let changes = below(4) - (parents.length > 1 ? 1 : 0); changes > 0; changes--) change(folder, 0);
    const oid = putCommit(repository, {
      folder,
      parents: parents.map((parent) => parent.oid),
      message: String(i),
      // Clocks go wrong, and many commits are of one second.
      timeSeconds: 1_700_000_000 + i - below(5),
    });
    made.push({ oid, folder });
    collect(folder, "");
  }
  return { repository, commits: made.map(({ oid }) => oid), paths: [...paths].sort() };

  function change(folder: MutableFolder, depth: number): void {
    const name = pick(NAMES);
    const old = folder[name];
    if (isFolder(old) && below(4) > 0) return change(old, depth + 1);
    switch (below(6)) {
      case 0:
        delete folder[name];
        break;
      case 1: {
        const other = pick(NAMES);
        if (old !== undefined) folder[other] = old;
        if (other !== name) delete folder[name];
        break;
      }
      case 2:
        folder[name] = { link: String(below(3)) };
        break;
      case 3:
        if (depth < 3) {
          folder[name] = { [pick(NAMES)]: `${below(5)}`, [pick(NAMES)]: { [pick(NAMES)]: "deep" } };
        }
        break;
      default:
        folder[name] = `${below(5)}`;
    }
    for (const [key, value] of Object.entries(folder)) {
      if (isFolder(value) && Object.keys(value).length === 0) delete folder[key];
    }
  }

  function collect(folder: Folder, prefix: string): void {
    for (const [name, content] of Object.entries(folder)) {
      paths.add(prefix + name);
      if (isFolder(content)) collect(content, `${prefix}${name}/`);
    }
  }
}

function isFolder(content: Content | undefined): content is MutableFolder {
  return typeof content === "object" && !(content instanceof Uint8Array) && !("link" in content) &&
    !("submodule" in content);
}

/** Whole numbers below a limit, by a linear congruential generator. */
export function numbers(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  };
}
