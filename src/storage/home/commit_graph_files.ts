/** Opens the files of git's commit graph below `objects/info` (gitformat-commit-graph). */
import { DamagedError } from "../../errors.ts";
import { type GraphFile, MAX_GRAPH_FILES } from "../../git/commit_graph_file.ts";
import { isOid, type Oid, OID_BYTES } from "../../ids/oid.ts";
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";

/**
 * Length of a line in the file `commit-graph-chain`, in bytes. A line is the checksum in the name of a graph
 * file.
 */
const LINE_BYTES = 2 * OID_BYTES + 1;

/** The open files of one commit graph. */
export class GraphFiles {
  readonly #fileSystem: FileSystem;
  readonly #opened: OpenFile[] = [];

  constructor(fileSystem: FileSystem) {
    this.#fileSystem = fileSystem;
  }

  /**
   * Opens the first commit graph that is found in the given `objects` directories: a single file or a chain
   * of files. Returns `undefined` when no directory has a commit graph.
   *
   * @throws {DamagedError} when the list of a chain is malformed, or one of its files is missing.
   */
  open(directories: readonly string[]): readonly GraphFile[] | undefined {
    for (const directory of directories) {
      const single = this.#open(`${directory}/info/commit-graph`);
      if (single !== undefined) return [single];
      const names = this.#chain(`${directory}/info/commit-graphs/commit-graph-chain`);
      if (names !== undefined) return names.map((name) => this.#openNamed(name, directories));
    }
    return undefined;
  }

  close(): void {
    for (const file of this.#opened) file.close();
  }

  /** Opens a file. Returns `undefined` when the path does not exist, or is a folder, a link or a pipe. */
  #open(path: string): GraphFile | undefined {
    const isFile = this.#fileSystem.stat(path)?.kind === "file";
    const file = isFile ? this.#fileSystem.open(path) : undefined;
    if (file !== undefined) this.#opened.push(file);
    return file;
  }

  /**
   * Returns the names in the file `commit-graph-chain`, the oldest first; `undefined` when the file does not
   * exist.
   */
  #chain(path: string): readonly Oid[] | undefined {
    const stat = this.#fileSystem.stat(path);
    if (stat?.kind !== "file") return undefined;
    const isShort = stat.size <= MAX_GRAPH_FILES * LINE_BYTES;
    const bytes = isShort ? this.#fileSystem.read(path) : undefined;
    const names = new TextDecoder().decode(bytes).split("\n");
    if (names.at(-1) === "") names.pop();
    if (names.length === 0 || !names.every(isOid)) {
      throw new DamagedError("A chain of commit graphs is not a short list of names");
    }
    return names;
  }

  #openNamed(name: Oid, directories: readonly string[]): GraphFile {
    for (const directory of directories) {
      const file = this.#open(`${directory}/info/commit-graphs/graph-${name}.graph`);
      if (file !== undefined) return { name, size: file.size, read: file.read.bind(file) };
    }
    throw new DamagedError(`A chain of commit graphs lacks its file ${name}`);
  }
}
