/**
 * Reads and writes the frames of git's wire protocol (gitprotocol-common). A frame is a length of four
 * hexadecimal digits, followed by the content.
 */
import { joinBytes, MalformedError, type ResolvedRef, type Task, TooLargeError } from "../../src/mod.ts";

/**
 * Maximum number of frames in a request. A request with the maximum size has fewer frames with object ids.
 */
export const MAX_FRAMES = 262_144;
/** Maximum size of a frame including its length, in bytes (gitprotocol-common). */
const MAX_FRAME_BYTES = 65_520;
/** Size of the length at the start of a frame, in bytes. */
export const LENGTH_BYTES = 4;
/** Length code for the end of a response, which requests must not contain. */
const RESPONSE_END = 2;
/** Number of frames that are read in one step of less than a millisecond. */
const FRAMES_AT_ONCE = 2048;
/** Number of bytes that are read in one step of less than a millisecond. */
const BYTES_AT_ONCE = 2 ** 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function pktLine(text: string): string {
  return lengthOf(encoder.encode(text).length) + text;
}

export function pktFrame(...content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = lengthOf(content.reduce((size, part) => size + part.length, 0));
  return joinBytes([encoder.encode(length), ...content]);
}

function lengthOf(contentBytes: number): string {
  return (contentBytes + LENGTH_BYTES).toString(16).padStart(LENGTH_BYTES, "0");
}

/** The frame that ends a list. */
export const FLUSH = "0000";

/**
 * Reads the frames of a request in steps.
 *
 * @param take Called for each frame, with the offsets of its start and end. A frame includes its length. A
 * frame without content has `end - start` equal to 4, and is a flush (length 0), a delimiter (length 1), or
 * empty (length 4).
 * @throws {MalformedError} when the bytes are not a sequence of frames.
 * @throws {TooLargeError} for more than {@link MAX_FRAMES} frames.
 */
export async function eachPktLine(
  bytes: Uint8Array,
  task: Task,
  take: (start: number, end: number) => void = () => {},
): Promise<void> {
  let pauseAt = BYTES_AT_ONCE;
  for (let at = 0, count = 1; at < bytes.length; count++) {
    if (count > MAX_FRAMES) {
      throw new TooLargeError(`Request body has more than ${MAX_FRAMES} frames`);
    }
    const end = endOfFrame(bytes, at);
    take(at, end);
    at = end;
    if (count % FRAMES_AT_ONCE !== 0 && at < pauseAt) continue;
    pauseAt = at + BYTES_AT_ONCE;
    await task.yield();
  }
}

/** Returns the content of a frame as text; `undefined` for a flush or a delimiter. */
export function contentOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start > LENGTH_BYTES) return decoder.decode(bytes.subarray(start + LENGTH_BYTES, end));
  return bytes[start + LENGTH_BYTES - 1] === 0x34 ? "" : undefined;
}

/**
 * Returns the end of the frame that begins at the offset `at`.
 *
 * @throws {MalformedError} when no frame begins at this offset, or the end of the frame is missing.
 */
export function endOfFrame(bytes: Uint8Array, at: number): number {
  let length = 0;
  for (let i = at; i < at + LENGTH_BYTES; i++) length = length * 16 + digitOf(bytes[i]);
  const end = at + Math.max(length, LENGTH_BYTES);
  const isFrame = length < RESPONSE_END || length >= LENGTH_BYTES && length <= MAX_FRAME_BYTES;
  if (isFrame && end <= bytes.length) return end;
  throw new MalformedError("Request body is not in git's protocol");
}

/** Returns the value of a hexadecimal digit; `NaN` for another byte. */
function digitOf(byte: number = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}

/**
 * Matches commands and capabilities that requests may use. Other commands, such as `object-info`, are not
 * offered.
 */
const OFFERED = /^(?:version 2|(?:agent|ls-refs|fetch|server-option|object-format)(?:=.*)?)\n?$/s;

/**
 * Returns an advertisement of git in version 2 of the protocol (gitprotocol-v2, "Capability Advertisement")
 * without the commands and capabilities that requests may not use.
 */
export async function offeredOf(advertisement: Uint8Array, task: Task): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  await eachPktLine(advertisement, task, (start, end) => {
    const line = contentOf(advertisement, start, end);
    if (line === undefined || OFFERED.test(line)) parts.push(advertisement.subarray(start, end));
  });
  return joinBytes(parts);
}

/**
 * Adds `HEAD` at the start of a list of references in version 0 or 1 of the protocol (gitprotocol-pack,
 * "Reference Discovery"). The line of `HEAD` gets the capabilities from the line of the first reference.
 *
 * @param list Start of the list, which must include the first reference.
 */
export function withHead(list: Uint8Array, { name, oid }: ResolvedRef): Uint8Array<ArrayBuffer> {
  let start = 0;
  let end = endOfFrame(list, start);
  if (contentOf(list, start, end) === "version 1\n") {
    start = end;
    end = endOfFrame(list, start);
  }
  const zero = list.indexOf(0, start);
  const first = list.subarray(start + LENGTH_BYTES, zero);
  const capabilities = list.subarray(zero, end - 1);
  return joinBytes([
    list.subarray(0, start),
    pktFrame(encoder.encode(`${oid} HEAD`), capabilities, encoder.encode(` symref=HEAD:${name}\n`)),
    pktFrame(first, encoder.encode("\n")),
    list.subarray(end),
  ]);
}

/** Returns the line of `HEAD` for a list in version 2 of the protocol (gitprotocol-v2, "ls-refs"). */
export function headLine({ name, oid }: ResolvedRef, showsTarget: boolean): string {
  return pktLine(`${oid} HEAD${showsTarget ? ` symref-target:${name}` : ""}\n`);
}
