/** Formats and parses the text of signed references, which has a line for each reference of a node. */
import { joinBytes } from "../bytes/bytes.ts";
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import { isRefString } from "../ids/refname.ts";
import { compareUtf8, decodeInSteps } from "../text/utf8.ts";
import { sortInSteps } from "../scheduling/sort_in_steps.ts";
import type { Steps, Task } from "../scheduling/task.ts";
import type { SigrefsRules } from "./sigrefs_rules.ts";

/**
 * The reference that points to the signed references themselves. Signed references do not list this
 * reference.
 */
export const SIGREFS = "refs/rad/sigrefs";
/** Name of a line that is not a reference. It contains the parent of the commit to which the text belongs. */
export const SIGREFS_PARENT = "refs/rad/sigrefs-parent";
/** The reference that points to the root of the identity. */
export const IDENTITY_ROOT = "refs/rad/root";

/** Number of references that are processed in one step, which takes less than a millisecond. */
const REFS_AT_ONCE = 512;
/** Number of characters of a text that are processed in one step, which takes less than a millisecond. */
const CHARACTERS_AT_ONCE = 2 ** 15;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Thrown for signed references that exist and can never become valid. */
export class WrongSigrefs extends DamagedError {}

export interface ParsedSigrefs {
  /** Object ids by reference name, in bytewise order of the names. */
  readonly refs: Map<string, Oid>;
  /** Whether the text is exactly the text that {@link formatSigrefs} creates for these references. */
  readonly isCanonical: boolean;
}

/**
 * Creates the text to sign. Each reference is a line `<oid> <name>` that ends with a line feed. The lines are
 * in the bytewise order of the names.
 */
export function formatSigrefs(refs: Iterable<readonly [string, Oid]>): string {
  return [...refs].sort(([a], [b]) => compareUtf8(a, b)).map(([name, oid]) => `${oid} ${name}\n`).join("");
}

/**
 * Parses a signed text as leniently as the Radicle programs do: both kinds of line endings are accepted,
 * later lines replace earlier lines of the same name, and ids of zeros are left out.
 *
 * @throws {WrongSigrefs} when a line is not a reference.
 */
export async function parseSigrefs(
  bytes: Uint8Array,
  rules: Pick<SigrefsRules, "oids" | "judgesHistory">,
  task: Task,
): Promise<ParsedSigrefs> {
  const text = await task.run(decodeText(bytes));
  const line = rules.oids === "full" ? /^([0-9a-fA-F]{40}) (.*)$/s : /^([0-9a-fA-F]{1,40}) (.*)$/s;
  const refs = new Map<string, Oid>();
  let isSorted = true;
  let isCanonical = true;
  let last = "";
  for (let start = 0, end = 0, pauseAt = CHARACTERS_AT_ONCE; start < text.length; start = end + 1) {
    if (start >= pauseAt) {
      pauseAt = start + CHARACTERS_AT_ONCE;
      await task.yield();
    }
    end = text.indexOf("\n", start);
    const isEnded = end >= 0;
    if (!isEnded) end = text.length;
    const hasReturn = isEnded && end > start && text[end - 1] === "\r";
    const [, digits = "", name = ""] = line.exec(text.slice(start, hasReturn ? end - 1 : end)) ?? [];
    if (!isRefString(name)) throw new WrongSigrefs("A line of signed references is malformed");
    const oid = digits.toLowerCase().padEnd(40, "0") as Oid;
    isCanonical &&= isEnded && !hasReturn && oid === digits;
    if (/^0+$/.test(oid) || rules.judgesHistory && name === SIGREFS) {
      isCanonical = false;
      continue;
    }
    isSorted &&= compareUtf8(last, name) < 0;
    last = name;
    refs.set(name, oid);
  }
  return {
    refs: isSorted ? refs : await sortRefs(refs, task),
    isCanonical: isCanonical && isSorted,
  };
}

function* decodeText(bytes: Uint8Array): Steps<string> {
  try {
    return yield* decodeInSteps(bytes, strictUtf8);
  } catch {
    throw new WrongSigrefs("Signed references are not UTF-8");
  }
}

async function sortRefs(refs: ReadonlyMap<string, Oid>, task: Task): Promise<Map<string, Oid>> {
  const sorted = new Map<string, Oid>();
  for (const name of await task.run(sortInSteps([...refs.keys()], compareUtf8))) {
    sorted.set(name, refs.get(name)!);
    if (sorted.size % REFS_AT_ONCE === 0) await task.yield();
  }
  return sorted;
}

/** Creates the same text as {@link formatSigrefs} as bytes, from references that are already sorted. */
export async function encodeSorted(
  refs: ReadonlyMap<string, Oid>,
  task: Task,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let lines = "";
  let count = 0;
  for (const [name, oid] of refs) {
    lines += `${oid} ${name}\n`;
    if (++count % REFS_AT_ONCE !== 0) continue;
    parts.push(new TextEncoder().encode(lines));
    lines = "";
    await task.yield();
  }
  parts.push(new TextEncoder().encode(lines));
  return joinBytes(parts);
}
