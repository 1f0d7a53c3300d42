/** Compresses and decompresses zlib data (RFC 1950) with the runtime's streams, for files of any size. */
import { joinBytes } from "./bytes.ts";

/**
 * Number of compressed bytes that are passed to the runtime in one write. Between two writes the length of
 * the result is checked.
 */
const PACKED_AT_ONCE_BYTES = 2 ** 16;

export async function compressed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Decompresses one whole zlib stream; `undefined` when the stream is malformed, or its content exceeds
 * `limitBytes`.
 */
export async function decompressed(
  packed: Uint8Array,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { readable, writable } = new DecompressionStream("deflate");
  const writing = writeAll(writable, packed);
  // The reader gets the same error.
  writing.catch(() => {});
  const reader = readable.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > limitBytes) {
        await reader.cancel();
        return undefined;
      }
      parts.push(value);
    }
    await writing;
  } catch {
    return undefined;
  }
  return joinBytes(parts);
}

/** Parses a compressed JSON text; `undefined` when it is malformed or longer than `limitBytes`. */
export async function decompressedJson(packed: Uint8Array, limitBytes: number): Promise<unknown> {
  const bytes = await decompressed(packed, limitBytes);
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

async function writeAll(writable: WritableStream<BufferSource>, packed: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  for (let at = 0; at < packed.length; at += PACKED_AT_ONCE_BYTES) {
    await writer.ready;
    await writer.write(packed.slice(at, at + PACKED_AT_ONCE_BYTES));
  }
  await writer.close();
}
