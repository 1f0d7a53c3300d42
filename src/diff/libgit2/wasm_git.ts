/**
 * The part of the package wasm-git that is used here. The package has no types. The types here do not mention
 * WebAssembly, which not every compiler knows.
 */
export { default as createLg2 } from "./carried/program.js";

/** A file of the memory file system. */
export interface MemoryFile {
  readonly node: {
    /** Room for the content; the first `usedBytes` are in use. */
    contents: Uint8Array;
    usedBytes: number;
  };
  position: number;
}

/** Emscripten's file system in memory. */
export interface MemoryFileSystem {
  /** Open files by descriptor. */
  readonly streams: readonly (MemoryFile | null)[];
  /** Opens a file under the lowest free descriptor. */
  open(path: string, flags: number): MemoryFile;
  close(file: MemoryFile): void;
  mkdir(path: string): void;
  /** `canOwn` keeps the array instead of a copy. */
  writeFile(path: string, content: Uint8Array | string, options?: { canOwn?: boolean }): void;
  unlink(path: string): void;
}

/** A running libgit2 with its command line. */
export interface Lg2 {
  readonly FS: MemoryFileSystem;
  /** The module's whole memory; another object after it has grown. */
  readonly HEAPU8: Uint8Array;
  /** Runs a command and returns its exit status. Throws when the program is aborted by a trap. */
  callMain(args: string[]): number;
}

/** Options of a new instance. */
export interface Lg2Options {
  print(line: string): void;
  printErr(line: string): void;
  noFSInit: boolean;
  thisProgram: string;
  /** Instantiates the module, hands the instance to `done`, and returns its exports. */
  instantiateWasm(imports: object, done: (instance: object, module: object) => void): object;
}

/** Starts an instance. */
export type CreateLg2 = (options: Lg2Options) => Promise<Lg2>;
