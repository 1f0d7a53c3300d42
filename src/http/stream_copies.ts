/**
 * Copies streams for a cache while clients read the streams. One memory limit applies to all copies together.
 */
import { byteStream } from "../bytes/byte_stream.ts";
import { joinBytes } from "../bytes/bytes.ts";
import type { LruMap } from "../cache/lru_map.ts";
import type { Memory } from "../cache/memory.ts";

interface Copy {
  /** Chunks of the copy; empty when the copy was dropped. */
  chunks: Uint8Array<ArrayBuffer>[];
  bytes: number;
  isDropped: boolean;
}

/** The cache that receives a copy. */
export interface CopyTarget {
  /** Checks whether this number of bytes is small enough to be cached. */
  admits(bytes: number): boolean;
  /** Receives all bytes of a stream that was read to its end. */
  take(bytes: Uint8Array<ArrayBuffer>): void;
}

export class StreamCopies {
  readonly #copies: LruMap<Copy, Copy>;

  constructor(memory: Memory) {
    // When memory is needed, the copy that was not read for the longest time is dropped first.
    this.#copies = memory.map("streamCopies", ({ bytes }) => bytes, drop);
  }

  get bytes(): number {
    return this.#copies.weight;
  }

  /**
   * Returns a stream with the same chunks. When the returned stream is read to its end, its bytes are cached,
   * unless the stream has too many bytes.
   */
  copy(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    target: CopyTarget,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = stream.getReader();
    const copies = this.#copies;
    const copy: Copy = { chunks: [], bytes: 0, isDropped: false };
    copies.set(copy, copy);
    const give = () => {
      copies.delete(copy);
      drop(copy);
    };
    const next = async () => {
      const { value } = await reader.read().catch((error) => {
        give();
        throw error;
      });
      if (!copy.isDropped && value !== undefined) {
        copy.chunks.push(value);
        copy.bytes += value.length;
        if (!target.admits(copy.bytes)) give();
        else if (copies.get(copy) !== undefined) copies.weighAgain(copy);
      }
      if (value !== undefined) return value;
      const whole = copy.isDropped ? undefined : joinBytes(copy.chunks);
      give();
      if (whole !== undefined) target.take(whole);
      return undefined;
    };
    return byteStream(next, {
      cancel(reason) {
        give();
        return reader.cancel(reason);
      },
    });
  }
}

function drop(copy: Copy): void {
  copy.isDropped = true;
  copy.chunks = [];
  copy.bytes = 0;
}
