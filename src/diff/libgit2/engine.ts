/**
 * libgit2 as WebAssembly, which compares files and finds renames and copies exactly as the real service's
 * does.
 */
import { DamagedError, UnsupportedError } from "../../errors.ts";
import type { CompiledLibgit2, LoadLibgit2 } from "../../ports/libgit2.ts";
import type { BlobContents } from "../blobs.ts";
import { SCRATCH_REPOSITORY, ScratchRepository, type Shown } from "./scratch_repository.ts";
import type { Change } from "../tree_comparison.ts";
import { type CreateLg2, createLg2, type Lg2, type MemoryFile } from "./wasm_git.ts";

/**
 * Calls that an instance answers before it is replaced: each call leaves a few bytes on its stack of 64 KiB.
 */
export const CALLS_PER_INSTANCE = 100;
/**
 * Memory above which an instance is replaced: WebAssembly memory grows to what the largest diff needs and
 * never shrinks.
 */
export const MAX_REUSED_HEAP_BYTES = 32 * 1024 * 1024;

/** Options of the real service: three lines of context; renames and copies of at least 50 %. */
const OPTIONS = { lines: ["-U3"], names: ["-M50", "-C50", "--name-status"] } as const;
const OPEN_FOR_WRITING = 0o1102;

/** In messages of libgit2: an object's content has another hash than its id says. */
const HASH_MISMATCH = "[-33]";

const decoder = new TextDecoder();

interface Instance {
  readonly lg2: Lg2;
  readonly repository: ScratchRepository;
  /** Standard output. */
  readonly output: MemoryFile;
  /** Lines of standard error of the present call. */
  readonly errors: string[];
  calls: number;
}

/** Calls of libgit2. */
export interface Libgit2Calls {
  /** See {@link Libgit2.patch}. */
  patch(changes: readonly Change[], contents: BlobContents): Promise<Uint8Array>;
  /** See {@link Libgit2.status}. */
  status(changes: readonly Change[], contents: BlobContents): Promise<string>;
}

/**
 * One instance at a time, replaced when it is worn out. Calls are synchronous: any number may be under way.
 */
export class Libgit2 implements Libgit2Calls {
  readonly #load: LoadLibgit2;
  readonly #create: CreateLg2;
  #module: CompiledLibgit2 | undefined;
  #instance: Promise<Instance> | undefined;

  constructor(load: LoadLibgit2, create: CreateLg2 = createLg2) {
    this.#load = load;
    this.#create = create;
  }

  /**
   * The patch between the old and the new sides of the changes, as git prints it, with the number of a change
   * in place of its path. Nothing is moved or copied in it.
   *
   * @throws {DamagedError} when a blob's content does not belong to its id.
   * @throws {Libgit2Error} when libgit2 fails.
   * @throws {UnsupportedError} when the host has no libgit2.
   */
  async patch(changes: readonly Change[], contents: BlobContents): Promise<Uint8Array> {
    return await this.#diff("lines", changes, contents);
  }

  /**
   * The status of each file, as git prints it, with the number of a change in place of its path: a line with
   * a letter, and one or two numbers.
   *
   * @throws {DamagedError} when a blob's content does not belong to its id.
   * @throws {Libgit2Error} when libgit2 fails.
   * @throws {UnsupportedError} when the host has no libgit2.
   */
  async status(changes: readonly Change[], contents: BlobContents): Promise<string> {
    return decoder.decode(await this.#diff("names", changes, contents));
  }

  async #diff(
    shown: Shown,
    changes: readonly Change[],
    contents: BlobContents,
  ): Promise<Uint8Array> {
    for (;;) {
      const current = this.#instance ??= this.#start();
      const instance = await current.catch((error) => {
        if (current === this.#instance) this.#instance = undefined;
        throw error;
      });
      // Another call may have worn it out while this one waited.
      if (current !== this.#instance) continue;
      const isFresh = instance.calls === 0;
      try {
        return this.#run(instance, shown, changes, contents);
      } catch (error) {
        // Perhaps earlier calls are to blame.
        if (isFresh || !(error instanceof Libgit2Error)) throw error;
      }
    }
  }

  #run(
    instance: Instance,
    shown: Shown,
    changes: readonly Change[],
    contents: BlobContents,
  ): Uint8Array {
    const { lg2, repository, output, errors } = instance;
    errors.length = 0;
    output.node.contents = new Uint8Array();
    output.node.usedBytes = 0;
    output.position = 0;
    let status: number;
    try {
      const trees = repository.fill(changes, contents, shown);
      status = lg2.callMain([
        "--git-dir",
        SCRATCH_REPOSITORY,
        "diff",
        ...OPTIONS[shown],
        trees.old,
        trees.new,
      ]);
      repository.clear();
    } catch (cause) {
      this.#instance = undefined;
      throw new Libgit2Error("libgit2 was aborted", { cause });
    }
    instance.calls++;
    if (status !== 0 || instance.calls >= CALLS_PER_INSTANCE || lg2.HEAPU8.length > MAX_REUSED_HEAP_BYTES) {
      this.#instance = undefined;
    }
    if (status !== 0) {
      const message = errors.join("; ");
      throw message.includes(HASH_MISMATCH)
        ? new DamagedError("The content of a blob does not belong to its id")
        : new Libgit2Error(message);
    }
    return output.node.contents.subarray(0, output.node.usedBytes);
  }

  async #start(): Promise<Instance> {
    const module = await this.#compile();
    const errors: string[] = [];
    const lg2 = await this.#create({
      print: () => {},
      printErr: (line) => errors.push(line),
      noFSInit: false,
      thisProgram: "lg2",
      instantiateWasm(imports, done) {
        const instance = new WebAssembly.Instance(module, imports as WebAssembly.Imports);
        done(instance, module);
        return instance.exports;
      },
    });
    const repository = new ScratchRepository(lg2.FS);
    return { lg2, repository, output: redirectOutput(lg2), errors, calls: 0 };
  }

  async #compile(): Promise<CompiledLibgit2> {
    try {
      return this.#module ??= await this.#load();
    } catch (cause) {
      throw new UnsupportedError("This host cannot compare these files", { cause });
    }
  }
}

/** libgit2 failed for another reason than the data it was given: out of memory, or a fault of its own. */
export class Libgit2Error extends Error {
  override readonly name = "Libgit2Error";
}

/**
 * Makes standard output a file in memory: the terminal that it is by default takes text by the line, and
 * bytes would be lost.
 */
function redirectOutput({ FS }: Lg2): MemoryFile {
  const terminal = FS.streams[1];
  if (terminal) FS.close(terminal);
  return FS.open("/out", OPEN_FOR_WRITING);
}
