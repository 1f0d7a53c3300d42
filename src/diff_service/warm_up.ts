/**
 * Diffs of generated files, made before the first request, so that libgit2 and the code of diffs are compiled
 * by then. `test/bench/warm_up.ts` measures how much faster the first requests are.
 */
import { Task } from "../scheduling/task.ts";
import { Libgit2 } from "../diff/libgit2/engine.ts";
import { encodeTree, hashObject } from "../git/encode.ts";
import { MODE } from "../git/tree.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { GitObject, ObjectKind, Repository } from "../ports/storage.ts";
import { makeDiff } from "./render/diff.ts";
import { makeFiles } from "./render/files.ts";

/** Diffs of a warm-up: after so many, the code takes half as long as at first. */
export const WARM_UP_ROUNDS = 300;
/** Milliseconds after which a warm-up ends on a slow machine, pauses not counted. */
export const WARM_UP_LIMIT_MS = 300;

const FIXTURE_VERSIONS = 7;

const encoder = new TextEncoder();

/**
 * Compares two trees of a few lines. One file is like two deleted ones, so libgit2 has to choose. Never
 * rejects: errors surface on the first request.
 */
export async function warmUpLibgit2(libgit2: Libgit2): Promise<void> {
  const stage = new Stage();
  const text = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");
  const old = stage.putFiles({ changed: text, one: `${text}end\n`, other: `${text}end\n` });
  const now = stage.putFiles({ changed: `${text}more\n`, to: `start\n${text}end\n` });
  await makeDiff({ libgit2, repository: stage.repository }, old, now).catch(() => {});
}

/**
 * Compares and shows small files again and again, one diff between two tasks of the event loop, until
 * `isOver` returns true. Needs no libgit2, caches nothing, and never rejects.
 *
 * @returns Number of diffs made.
 */
export async function warmUpCompiler(
  isOver: () => boolean = () => false,
  limitMs: number = WARM_UP_LIMIT_MS,
): Promise<number> {
  const libgit2 = new Libgit2(() => Promise.reject(new Error("Not needed in a warm-up")));
  const stage = new Stage();
  const trees = Array.from({ length: FIXTURE_VERSIONS }, (_, version) => putVersion(stage, version));
  const task = new Task("background");
  let spentMs = 0;
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    await task.idle();
    if (isOver() || spentMs >= limitMs) return round;
    const start = performance.now();
    const { repository } = stage;
    const [old, now] = [trees[round % trees.length], trees[(round + 1) % trees.length]!];
    try {
      const { touched } = await makeDiff({ libgit2, repository }, old, now);
      await makeFiles(repository, touched);
    } catch {
      return round;
    }
    spentMs += performance.now() - start;
  }
  return WARM_UP_ROUNDS;
}

/**
 * A few files in two folders: in each version other lines of three of them, one with another name, and one
 * that is not in all versions.
 */
function putVersion(stage: Stage, version: number): Oid {
  const text = (file: number): string =>
    Array.from({ length: 40 + 15 * file }, (_, line) => {
      if (file < 3 && (line + 11 * version) % 37 === 0) return `  changed in ${version};\n`;
      return line % 6 === 5 ? "}\n" : `  const value${line} = call(${file}, ${line * line});\n`;
    }).join("");
  return stage.putFolders({
    one: stage.putFiles({ changed: text(1), same: text(4), [`moved${version}`]: text(2) }),
    other: stage.putFiles({
      changed: text(0),
      same: text(3),
      ...(version % 2 === 0 && { added: `${version}` }),
    }),
  });
}

/** A repository in memory. */
class Stage {
  readonly #objects = new Map<Oid, GitObject>();
  readonly repository: Repository = {
    rid: "rad:z" as RepoId,
    ref: () => undefined,
    refs: () => [],
    header: (oid) => {
      const object = this.#objects.get(oid);
      return object && { kind: object.kind, size: object.bytes.length };
    },
    object: (oid) => this.#objects.get(oid),
    objects: (oids) => oids.map((oid) => this.#objects.get(oid)),
  };

  /** A folder of files given by their texts. */
  putFiles(files: Readonly<Record<string, string>>): Oid {
    const entries = Object.entries(files).map((
      [name, text],
    ): [string, Oid] => [name, this.#put("blob", encoder.encode(text))]);
    return this.#putTree(entries, MODE.blob);
  }

  /** A folder of folders. */
  putFolders(folders: Readonly<Record<string, Oid>>): Oid {
    return this.#putTree(Object.entries(folders), MODE.tree);
  }

  #putTree(entries: readonly (readonly [string, Oid])[], mode: number): Oid {
    return this.#put(
      "tree",
      encodeTree(entries.map(([name, oid]) => ({ mode, name: encoder.encode(name), oid }))),
    );
  }

  #put(kind: ObjectKind, bytes: Uint8Array): Oid {
    const oid = hashObject(kind, bytes);
    this.#objects.set(oid, { kind, bytes });
    return oid;
  }
}
