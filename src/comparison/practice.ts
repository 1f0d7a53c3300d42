/**
 * Comparisons of generated texts, so that the first ones that somebody asks for find the code compiled: until it has run some hundred times, they take
 * twice as long.
 */
import { Libgit2 } from "../diff/libgit2.ts";
import { encodeTree } from "../git/encode_tree.ts";
import { MODE } from "../git/tree.ts";
import { type Oid, OID_BYTES } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { GitObject, ObjectHeader, ObjectKind, Repository } from "../ports/storage.ts";
import { makeDiff, makeFiles } from "./make.ts";
import { MeteredRepository } from "./metered_repository.ts";

/** Versions that are compared, each with the one before it. */
export const PRACTICE_VERSIONS = 120;
/** Time after which enough was done on a slow machine, in milliseconds, pauses not counted. */
export const PRACTICE_LIMIT_MS = 300;

const FOLDERS = 3;
const FILES_PER_FOLDER = 4;
/** Lines of a file when it is new: between these. It grows, and must not become so long that only libgit2 can tell whether it was moved. */
const [LEAST_LINES, MOST_LINES] = [20, 80];
const EDITED_FILES = 3;
/** Each version of which the number is a multiple of these has a new file, or one under a new path. */
const [VERSIONS_PER_ADDED, VERSIONS_PER_MOVED] = [4, 6];

const WORDS = "branch cache delta entry field graph header index journal key".split(" ");

const encoder = new TextEncoder();

/**
 * Compares and shows small files, in turns with whatever else is to be done, until `isOver` says so. Keeps nothing, and never rejects.
 *
 * @returns How many versions were compared.
 */
export async function practise(
  isOver: () => boolean = () => false,
  limitMs: number = PRACTICE_LIMIT_MS,
): Promise<number> {
  const libgit2 = new Libgit2(() => Promise.reject(new Error("Not needed in practice")));
  const project = new Project();
  let old = project.commit();
  let spentMs = 0;
  for (let version = 1; version <= PRACTICE_VERSIONS; version++) {
    await new Promise((resume) => setTimeout(resume, 0));
    if (isOver() || spentMs >= limitMs) return version - 1;
    const start = performance.now();
    project.change(version);
    const now = project.commit();
    const repository = new MeteredRepository(project);
    try {
      const { left } = await makeDiff(libgit2, repository, old, now);
      await makeFiles(repository, left);
    } catch {
      // Whatever is wrong will be said when somebody asks.
      return version - 1;
    }
    old = now;
    spentMs += performance.now() - start;
  }
  return PRACTICE_VERSIONS;
}

/** A file of the project. */
interface File {
  name: string;
  readonly lines: string[];
  oid: Oid;
}

/** A repository of generated files. Its ids are numbers: nobody looks whether they are hashes. */
class Project implements Repository {
  readonly rid = "rad:z" as RepoId;
  readonly #objects = new Map<Oid, GitObject>();
  readonly #folders: File[][];
  #random = 1;

  constructor() {
    const files = () => Array.from({ length: FILES_PER_FOLDER }, () => this.#newFile());
    this.#folders = Array.from({ length: FOLDERS }, files);
  }

  /** Edits some files; now and then one is replaced by a new one, or moved. */
  change(version: number): void {
    for (let i = 0; i < EDITED_FILES; i++) {
      const file = this.#pick(this.#pick(this.#folders));
      file.lines.splice(this.#below(file.lines.length), this.#below(3), this.#line(), this.#line());
      file.oid = this.#putText(file.lines);
    }
    const folder = this.#pick(this.#folders);
    if (version % VERSIONS_PER_ADDED === 0) folder[0] = this.#newFile();
    if (version % VERSIONS_PER_MOVED === 0) this.#pick(folder).name = this.#newName();
  }

  /** The tree of the files as they are now. */
  commit(): Oid {
    const folders = this.#folders.map((files, i) => ({
      mode: MODE.tree,
      name: encoder.encode(`folder${i}`),
      oid: this.#put(
        "tree",
        encodeTree(files.map(({ name, oid }) => ({ mode: MODE.blob, name: encoder.encode(name), oid }))),
      ),
    }));
    return this.#put("tree", encodeTree(folders));
  }

  ref(): undefined {}

  refs(): [] {
    return [];
  }

  header(oid: Oid): ObjectHeader | undefined {
    const object = this.#objects.get(oid);
    return object && { kind: object.kind, size: object.bytes.length };
  }

  object(oid: Oid): GitObject | undefined {
    return this.#objects.get(oid);
  }

  objects(oids: readonly Oid[]): (GitObject | undefined)[] {
    return oids.map((oid) => this.#objects.get(oid));
  }

  #newFile(): File {
    const length = LEAST_LINES + this.#below(MOST_LINES - LEAST_LINES);
    const lines = Array.from({ length }, () => this.#line());
    return { name: this.#newName(), lines, oid: this.#putText(lines) };
  }

  #newName(): string {
    return `${this.#pick(WORDS)}_${this.#below(1_000_000)}.ts`;
  }

  #line(): string {
    if (this.#below(8) === 0) return this.#pick(["}\n", "\n", "  }\n"]);
    return `  const ${this.#pick(WORDS)}${this.#below(1000)} = ${this.#pick(WORDS)}(${this.#below(1000)});\n`;
  }

  #putText(lines: readonly string[]): Oid {
    return this.#put("blob", encoder.encode(lines.join("")));
  }

  #put(kind: ObjectKind, bytes: Uint8Array): Oid {
    const oid = String(this.#objects.size).padStart(2 * OID_BYTES, "0") as Oid;
    this.#objects.set(oid, { kind, bytes });
    return oid;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  /** A number that looks random, by a linear congruential generator. */
  #below(limit: number): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    return Math.floor(this.#random / 2 ** 32 * limit);
  }
}
