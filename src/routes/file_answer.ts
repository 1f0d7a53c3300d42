/** The answer that shows a file: the same in both dialects (2.7). */
import type { File, FileLimits } from "../browse/files.ts";
import type { OpenedRepository } from "../browse/opened_repository.ts";
import type { Call } from "./call.ts";
import { commitViewOf } from "./dialect.ts";
import type { Blob } from "../contract/tree.ts";
import type { AnswerOf } from "../http/answer.ts";
import { GATHERED_BYTES, jsonPieces } from "../http/respond.ts";
import { blobPieces, MAX_SHOWN_BYTES } from "../views/blob.ts";

/**
 * Files up to this size are sent in one piece, so that the answer can be cached, also in base64; of larger
 * ones little more than the file is in memory.
 */
const MAX_GATHERED_FILE_BYTES = 12 * 2 ** 20;

/** Bounds of files that are shown to a client. */
export function fileLimits(call: Call): FileLimits {
  return { maxBytes: MAX_SHOWN_BYTES, requireRoom: (bytes) => call.requireRoom(bytes) };
}

/** Shows a file with its last commit. */
export async function fileAnswer(
  call: Call,
  { objects }: OpenedRepository,
  { bytes, release, lastCommit, path }: File & { readonly path: string },
): Promise<AnswerOf<Blob>> {
  const commit = await commitViewOf(call)(objects, lastCommit, call.task);
  const size = bytes.length;
  return await jsonPieces(pieces(), call.service.environment.log, call.task, {
    gatheredBytes: size > MAX_GATHERED_FILE_BYTES ? GATHERED_BYTES : 4 / 3 * MAX_GATHERED_FILE_BYTES,
    heldBytes: size,
  });

  async function* pieces(): AsyncGenerator<string> {
    try {
      yield* blobPieces(bytes, path, commit);
    } finally {
      release?.();
    }
  }
}
