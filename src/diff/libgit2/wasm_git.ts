/**
 * Types for the used part of the package wasm-git, which has no types. The types do not mention WebAssembly,
 * because some TypeScript compilers do not know WebAssembly.
 */
export { default as createLg2 } from "./carried/program.js";

export interface MemoryFile {
  readonly node: {
    /** Buffer of the content. Only its first `usedBytes` bytes are in use. */
    contents: Uint8Array;
    usedBytes: number;
  };
  position: number;
}

/** The memory file system of Emscripten. */
export interface MemoryFileSystem {
  /** Open files, by file descriptor. */
  readonly streams: readonly (MemoryFile | null)[];
  /** Opens a file with the lowest free file descriptor. */
  open(path: string, flags: number): MemoryFile;
  close(file: MemoryFile): void;
  mkdir(path: string): void;
  /** Writes a file. With `canOwn`, the file system uses the given array instead of a copy. */
  writeFile(path: string, content: Uint8Array | string, options?: { canOwn?: boolean }): void;
  unlink(path: string): void;
}

/** A running libgit2 with its command line interface. */
export interface Lg2 {
  readonly FS: MemoryFileSystem;
  /** The whole memory of the module. When the memory grows, another object replaces this object. */
  readonly HEAPU8: Uint8Array;
  /** Runs a command and returns its exit status. Throws when a trap aborts the program. */
  callMain(args: string[]): number;
}

export interface Lg2Options {
  print(line: string): void;
  printErr(line: string): void;
  noFSInit: boolean;
  thisProgram: string;
  /** Instantiates the module, passes the instance to `done`, and returns the exports of the instance. */
  instantiateWasm(imports: object, done: (instance: object, module: object) => void): object;
}

/** Starts an instance of libgit2. */
export type CreateLg2 = (options: Lg2Options) => Promise<Lg2>;
