/** Long texts decoded in steps: malformed bytes take some encodings twenty milliseconds a MiB. */
import type { Steps } from "../scheduling/task.ts";

/** Bytes of a text decoded in one step. Pieces of longer texts are copied once more. */
export const DECODED_AT_ONCE_BYTES: number = 2 ** 16;

/**
 * Decodes bytes as `decoder` does, whose own state stays as it is.
 *
 * @throws {TypeError} as `decoder` does.
 */
export function* decodeInSteps(bytes: Uint8Array, decoder: TextDecoder): Steps<string> {
  if (bytes.length <= DECODED_AT_ONCE_BYTES) return decoder.decode(bytes);
  const { encoding, fatal, ignoreBOM } = decoder;
  const own = new TextDecoder(encoding, { fatal, ignoreBOM });
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += DECODED_AT_ONCE_BYTES) {
    parts.push(own.decode(bytes.subarray(at, at + DECODED_AT_ONCE_BYTES), { stream: true }));
    yield undefined;
  }
  return parts.join("") + own.decode();
}
