/** libgit2 for as little as it may look at in the process that answers requests, as nothing can interrupt it. */
import type { BlobContents } from "../diff/blobs.ts";
import type { Libgit2Calls } from "../diff/libgit2/engine.ts";
import type { Change } from "../diff/tree_comparison.ts";

/** Bytes of files of which it finds out what they became; that takes some milliseconds. */
export const SMALL_LIBGIT2_BYTES = 2 ** 16;

/** It would have had to look at more. */
export class Libgit2LimitError extends Error {
  override readonly name = "Libgit2LimitError";
}

/** Passes on what is small enough; else calls fail with {@link Libgit2LimitError}. */
export class SmallLibgit2 implements Libgit2Calls {
  readonly #libgit2: Libgit2Calls;

  constructor(libgit2: Libgit2Calls) {
    this.#libgit2 = libgit2;
  }

  async status(changes: readonly Change[], contents: BlobContents): Promise<string> {
    let bytes = 0;
    for (const content of contents.values()) bytes += content?.length ?? 0;
    if (bytes > SMALL_LIBGIT2_BYTES) throw new Libgit2LimitError("Too much to be looked at");
    return await this.#libgit2.status(changes, contents);
  }

  /** Never passed on: lines are only left to libgit2 where that takes long. */
  patch(): Promise<Uint8Array> {
    return Promise.reject(new Libgit2LimitError("Takes too long"));
  }
}
