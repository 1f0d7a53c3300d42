/** Runs libgit2 as WebAssembly, to find renames and copies exactly as `radicle-httpd` does. */
import { DamagedError, UnsupportedError } from "../../errors.ts";
import type { CompiledLibgit2, LoadLibgit2 } from "../../ports/libgit2.ts";
import type { BlobContents } from "../blobs.ts";
import { SCRATCH_REPOSITORY, ScratchRepository, type Shown } from "./scratch_repository.ts";
import type { Change } from "../tree_comparison.ts";
import { type CreateLg2, createLg2, type Lg2, type MemoryFile } from "./wasm_git.ts";

/**
 * Number of calls after which a WebAssembly instance is replaced. Each call leaves bytes on the stack of the
 * instance, which has 64 KiB.
 */
const CALLS_PER_INSTANCE = 100;
/** Memory above which a WebAssembly instance is replaced, in bytes. WebAssembly memory never shrinks. */
const MAX_REUSED_HEAP_BYTES = 32 * 1024 * 1024;

/** Number of context lines in the diffs of `radicle-httpd`. */
export const CONTEXT_LINES = 3;
/** Options of `radicle-httpd`: find renames and copies with a similarity of at least 50 %. */
const NAMES_OPTIONS = ["-M50", "-C50", "--name-status"];
const OPEN_FOR_WRITING = 0o1102;

/** Part of libgit2's error message when the content of an object does not match its id. */
const HASH_MISMATCH = "[-33]";

const decoder = new TextDecoder();

interface Instance {
  readonly lg2: Lg2;
  readonly repository: ScratchRepository;
  /** File that gets the standard output. */
  readonly output: MemoryFile;
  /** Lines on standard error during the current call. */
  readonly errors: string[];
  calls: number;
}

export interface Libgit2Calls {
  /** See {@link Libgit2.patch}. */
  patch(changes: readonly Change[], contents: BlobContents, contextLines?: number): Promise<Uint8Array>;
  /** See {@link Libgit2.status}. */
  status(changes: readonly Change[], contents: BlobContents): Promise<string>;
}

/** Runs the calls of libgit2 one after the other. */
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
   * Returns the patch between the old and the new sides of the changes in git's format, without renames and
   * copies. The index of its change replaces the path of each file.
   *
   * @param contextLines Number of unchanged lines around changed lines.
   * @throws {DamagedError} when the content of a blob does not match its id.
   * @throws {Libgit2Error} when libgit2 fails.
   * @throws {UnsupportedError} when the host has no libgit2.
   */
  async patch(
    changes: readonly Change[],
    contents: BlobContents,
    contextLines: number = CONTEXT_LINES,
  ): Promise<Uint8Array> {
    return await this.#diff("lines", [`-U${contextLines}`], changes, contents);
  }

  /**
   * Returns the status of each file in git's format: a letter and one or two paths in each line. The index of
   * the change replaces each path.
   *
   * @throws {DamagedError} when the content of a blob does not match its id.
   * @throws {Libgit2Error} when libgit2 fails.
   * @throws {UnsupportedError} when the host has no libgit2.
   */
  async status(changes: readonly Change[], contents: BlobContents): Promise<string> {
    return decoder.decode(await this.#diff("names", NAMES_OPTIONS, changes, contents));
  }

  async #diff(
    shown: Shown,
    options: readonly string[],
    changes: readonly Change[],
    contents: BlobContents,
  ): Promise<Uint8Array> {
    for (;;) {
      const current = this.#instance ??= this.#start();
      const instance = await current.catch((error) => {
        if (current === this.#instance) this.#instance = undefined;
        throw error;
      });
      // Another call may have replaced the instance in the meantime.
      if (current !== this.#instance) continue;
      const isFresh = instance.calls === 0;
      try {
        return this.#run(instance, shown, options, changes, contents);
      } catch (error) {
        // Earlier calls of the instance may have caused the failure, so the call is repeated with a new
        // instance.
        if (isFresh || !(error instanceof Libgit2Error)) throw error;
      }
    }
  }

  #run(
    instance: Instance,
    shown: Shown,
    options: readonly string[],
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
        ...options,
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

/** Thrown when libgit2 fails although its input is valid, for instance because memory ran out. */
export class Libgit2Error extends Error {
  override readonly name = "Libgit2Error";
}

/**
 * Redirects standard output to a file in memory. The default output accepts only lines of text, and would
 * change other bytes.
 */
function redirectOutput({ FS }: Lg2): MemoryFile {
  const terminal = FS.streams[1];
  if (terminal) FS.close(terminal);
  return FS.open("/out", OPEN_FOR_WRITING);
}
