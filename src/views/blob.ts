/**
 * JSON of a file (specification, 2.7), and of the member `files` of commits and diffs (specification, 2.4).
 */
import type { Commit as CommitView } from "../contract/commits.ts";
import type { DiffBlob as DiffFileView } from "../contract/diff.ts";
import { base64 } from "@scure/base";
import type { Oid } from "../ids/oid.ts";
import { jsonSlices } from "../text/json_slices.ts";

/** Maximum size of a file that is shown inside JSON, in bytes. */
export const MAX_SHOWN_BYTES = 16 * 1024 * 1024;

/** Yields the JSON text of a file, in pieces. */
export function* blobPieces(bytes: Uint8Array, path: string, lastCommit: CommitView): Generator<string> {
  const name = JSON.stringify(path.slice(path.lastIndexOf("/") + 1));
  const start = `{"binary":${isShownAsBinary(bytes)},"name":${name},"content":`;
  const end = `,"path":${JSON.stringify(path)},"lastCommit":`;
  const text = toText(bytes);
  if (text !== undefined) yield* jsonSlices(text, start, end);
  else {
    yield `${start}"`;
    for (let at = 0; at < bytes.length; at += ENCODED_BYTES) {
      yield base64.encode(bytes.subarray(at, at + ENCODED_BYTES));
    }
    yield `"${end}`;
  }
  yield* jsonSlices(lastCommit, "", "}");
}

/** Creates the JSON of a file of a diff. If `content` is given, the JSON contains it instead of the bytes. */
export function toDiffFileView(id: Oid, bytes: Uint8Array, content = toContent(bytes)): DiffFileView {
  return { id, binary: isShownAsBinary(bytes), content };
}

/**
 * Creates the JSON of a file of a diff that is too large, without content. Choice: The member `binary` is
 * true, so that no client shows an empty text.
 */
export function toTruncatedFileView(id: Oid): DiffFileView {
  return { id, binary: true, content: "", truncated: true };
}

/** Number of bytes at the start of a file that {@link isShownAsBinary} examines. */
const BINARY_SAMPLE_BYTES = 8000;
const BACKSPACE = 0x08;
const FORM_FEED = 0x0c;
const ESCAPE = 0x1b;
const DELETE = 0x7f;

/**
 * Checks whether a file counts as binary, by the rule of `radicle-httpd`. A binary file has a byte-order mark
 * of UTF-16 or UTF-32, a NUL, or more than one non-printable byte per 128 printable bytes. White space is
 * neither printable nor non-printable.
 */
export function isShownAsBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, BINARY_SAMPLE_BYTES);
  if (hasWideByteOrderMark(sample) || sample.includes(0)) return true;
  let printable = 0;
  let unprintable = 0;
  for (let i = 0; i < sample.length; i++) {
    const byte = sample[i]!;
    if ((byte > 0x1f && byte !== DELETE) || byte === BACKSPACE || byte === ESCAPE || byte === FORM_FEED) {
      printable++;
    } else if (!(byte >= 0x09 && byte <= 0x0d)) unprintable++;
  }
  return printable >> 7 < unprintable;
}

function hasWideByteOrderMark([a, b, c, d]: Uint8Array): boolean {
  return a === 0xfe && b === 0xff || a === 0xff && b === 0xfe ||
    a === 0 && b === 0 && c === 0xfe && d === 0xff;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Number of bytes that are encoded as base64 at once, a multiple of three. */
const ENCODED_BYTES = 3 * 2 ** 14;

function toContent(bytes: Uint8Array): string {
  return toText(bytes) ?? base64.encode(bytes);
}

/** Decodes bytes as text; `undefined` when they are not UTF-8. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}
