/**
 * All references of a repository as text. Each reference has one line. Lines are in bytewise order of the
 * names. A line has the object id, or `@` with the name of the target reference, then a space, then the name
 * of the reference.
 */
import {
  compareUtf8,
  DamagedError,
  decodeInSteps,
  isOid,
  isRefname,
  isStoredName,
  type Ref,
  type Steps,
} from "../../../src/mod.ts";
import { digestOf } from "./sealed_json.ts";

/** Maximum number of references of a published repository. */
export const MAX_REFERENCES = 1_000_000;

/** Maximum size of the text, in bytes. */
export const MAX_REFERENCES_BYTES = 2 ** 27;

/** Maximum size of the text inside a manifest, in bytes. A longer text is a separate object. */
export const MAX_INLINE_REFERENCES_BYTES = 2 ** 16;

/** Number of characters that one step decodes. A step takes less than a millisecond. */
const CHARACTERS_AT_ONCE = 2 ** 15;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Encodes references as text.
 *
 * @param refs `HEAD` and the references below `refs/`, in any order, each name once.
 */
export function encodeReferences(refs: readonly Ref[]): Uint8Array<ArrayBuffer> {
  const sorted = [...refs].sort((a, b) => compareUtf8(a.name, b.name));
  return new TextEncoder().encode(
    sorted.map((ref) => `${ref.oid ?? `@${ref.target}`} ${ref.name}\n`).join(""),
  );
}

/**
 * Returns a digest of all references. Equal references have equal digests.
 *
 * @param text Text from {@link encodeReferences}.
 */
export function digestOfReferences(text: Uint8Array): string {
  return digestOf(text);
}

/**
 * Decodes references in steps. The result is in bytewise order of the names.
 *
 * @throws {DamagedError} for a text that {@link encodeReferences} cannot have encoded.
 */
export function* decodeReferences(text: Uint8Array): Steps<readonly Ref[]> {
  if (text.length > MAX_REFERENCES_BYTES) {
    throw new DamagedError(`Published references are longer than ${MAX_REFERENCES_BYTES} bytes`);
  }
  const lines = yield* decodeText(text);
  if (!lines.endsWith("\n") && lines !== "") throw new DamagedError("Published references are cut short");
  const refs: Ref[] = [];
  let last = "";
  for (let start = 0, pauseAt = CHARACTERS_AT_ONCE; start < lines.length;) {
    const end = lines.indexOf("\n", start);
    const ref = decodeReference(lines.slice(start, end));
    if (compareUtf8(last, ref.name) >= 0) throw new DamagedError("Published references are out of order");
    if (refs.push(ref) > MAX_REFERENCES) throw new DamagedError("There are too many published references");
    last = ref.name;
    start = end + 1;
    if (start < pauseAt) continue;
    pauseAt = start + CHARACTERS_AT_ONCE;
    yield;
  }
  return refs;
}

function* decodeText(text: Uint8Array): Steps<string> {
  try {
    return yield* decodeInSteps(text, strictUtf8);
  } catch (cause) {
    throw new DamagedError("Published references are not text", { cause });
  }
}

function decodeReference(line: string): Ref {
  const at = line.indexOf(" ");
  const value = line.slice(0, Math.max(at, 0));
  const name = line.slice(at + 1);
  if (isStoredName(name)) {
    if (isOid(value)) return { name, oid: value };
    if (value.startsWith("@") && isRefname(value.slice(1))) return { name, target: value.slice(1) };
  }
  throw new DamagedError("A line of published references is malformed");
}
