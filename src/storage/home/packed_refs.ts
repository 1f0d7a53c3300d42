/** `packed-refs`: many references in one file. */
import { firstWhere } from "../../bytes/search.ts";
import { TooLargeError } from "../../errors.ts";
import { isOid } from "../../ids/oid.ts";
import type { Ref } from "../../ports/storage.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { runSync, type Steps, Task } from "../../scheduling/task.ts";
import { isStoredName, type RefPattern } from "../../ids/refname.ts";
import { Freshness } from "../../cache/file_freshness.ts";
import type { StorageContext } from "./storage_context.ts";

/** Maximum size of the file, in bytes: some 300,000 references. */
export const MAX_PACKED_REFS_BYTES = 2 ** 25;

/**
 * Files up to this size are read at once, and again when an equal mtime could hide a change. Larger files are
 * only ever replaced.
 */
const READ_AT_ONCE_BYTES = 2 ** 17;

/** Lines parsed in one step: below a millisecond. */
const LINES_AT_ONCE = 512;

/** Bytes decoded in one step, and those up to the end of a line: below a millisecond. */
export const BYTES_AT_ONCE: number = 2 ** 18;

const LINE_FEED = 0x0a;

/** Number of malformed lines that are logged one by one. */
const WARNED_LINES = 10;

/** The packed references of a repository; the file is parsed once per change. */
export class PackedRefs {
  readonly #path: string;
  readonly #context: StorageContext;
  #reading: { readonly freshness: Freshness; readonly refs: Promise<readonly Ref[]> } | undefined;

  /** @param path Path of the file; it need not exist. */
  constructor(path: string, context: StorageContext) {
    this.#path = path;
    this.#context = context;
  }

  /**
   * All references in ascending order: the same array while the file is certainly unchanged. A promise while
   * a large file is being read, unless `isNow`.
   *
   * @throws {TooLargeError} when the file is too large.
   */
  all(isNow: true): readonly Ref[];
  all(isNow?: boolean): readonly Ref[] | Promise<readonly Ref[]>;
  all(isNow = false): readonly Ref[] | Promise<readonly Ref[]> {
    const { fileSystem, now, packedRefs } = this.#context;
    const nowMs = now();
    const stat = fileSystem.stat(this.#path);
    const cached = packedRefs.get(this.#path);
    const isLarge = stat !== undefined && stat.size > READ_AT_ONCE_BYTES;
    if (cached !== undefined && (isLarge ? !cached.freshness.isOver(stat) : cached.freshness.holds(stat))) {
      return cached.refs;
    }
    if (stat !== undefined && stat.size > MAX_PACKED_REFS_BYTES) {
      throw new TooLargeError(`The list of packed references is longer than ${MAX_PACKED_REFS_BYTES} bytes`);
    }
    if (!isNow && this.#reading?.freshness.isOver(stat) === false) return this.#reading.refs;
    const freshness = new Freshness(stat, nowMs);
    const bytes = stat?.kind === "file" ? fileSystem.read(this.#path) : undefined;
    const steps = this.#parse(bytes ?? new Uint8Array(0));
    const cache = (refs: readonly Ref[]) => {
      packedRefs.set(this.#path, { refs, freshness, bytes: bytes?.length ?? 0 });
      return refs;
    };
    if (isNow || !isLarge) return cache(runSync(steps));
    const reading = { freshness, refs: Promise.resolve(new Task().run(steps)).then(cache) };
    this.#reading = reading;
    const end = () => {
      if (this.#reading === reading) this.#reading = undefined;
    };
    reading.refs.then(end, end);
    return reading.refs;
  }

  /**
   * Lines `<oid> <name>`. Other lines are comments (`#`), or the target of the tag in the line above (`^`).
   */
  *#parse(bytes: Uint8Array): Steps<readonly Ref[]> {
    const { logOnce } = this.#context;
    const decoder = new TextDecoder();
    const refs: Ref[] = [];
    let isSorted = true;
    let [wrong, count] = [0, 0];
    for (let from = 0, to = 0; from < bytes.length; from = to) {
      to = bytes.indexOf(LINE_FEED, from + BYTES_AT_ONCE) + 1 || bytes.length;
      const text = decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length });
      for (let start = 0, end = 0; start < text.length; start = end + 1) {
        end = text.indexOf("\n", start);
        if (end < 0) end = text.length;
        if (++count % LINES_AT_ONCE === 0) yield;
        if (end === start || text[start] === "#" || text[start] === "^") continue;
        const [oid, name] = [text.slice(start, start + 40), text.slice(start + 41, end)];
        if (!isOid(oid) || text[start + 40] !== " " || !isStoredName(name)) {
          const line = text.slice(start, Math.min(end, start + 100));
          if (wrong++ < WARNED_LINES) logOnce(`${this.#path} has a line that is not a reference: ${line}`);
          continue;
        }
        isSorted &&= compareUtf8(refs.at(-1)?.name ?? "", name) < 0;
        refs.push({ name, oid });
      }
    }
    if (wrong > WARNED_LINES) logOnce(`${this.#path} has ${wrong - WARNED_LINES} more such lines`);
    return isSorted ? refs : refs.sort((a, b) => compareUtf8(a.name, b.name));
  }
}

/** Binary search of a name in sorted references. */
export function findRef(refs: readonly Ref[], name: string): Ref | undefined {
  const ref = refs[lowerBound(refs, name)];
  return ref?.name === name ? ref : undefined;
}

/** Selects references from sorted references, in the same order. */
export function* selectRefs(refs: readonly Ref[], { parts, isPrefix }: RefPattern): Steps<readonly Ref[]> {
  const selected: Ref[] = [];
  for (const ref of select(refs, "", isPrefix ? [...parts, ""] : parts)) {
    // Skipped references count, too.
    if (ref !== undefined) selected.push(ref);
    if (ref === undefined || selected.length % LINES_AT_ONCE === 0) yield;
  }
  return selected;
}

/** The byte after the slash: names that start with `a0` sort directly after those that start with `a/`. */
const AFTER_SLASH = "0";

/**
 * The sorted references whose names consist of `path` and the components after it. `*` is any one component;
 * an empty component at the end is any number of components.
 */
function* select(refs: readonly Ref[], path: string, parts: readonly string[]): Generator<Ref | undefined> {
  const star = parts.indexOf("*");
  if (star < 0) {
    const start = path + parts.join("/");
    const isPrefix = start.endsWith("/");
    for (let at = lowerBound(refs, start); refs[at]?.name.startsWith(start); at++) {
      if (!isPrefix && refs[at]!.name !== start) return;
      yield refs[at]!;
    }
    return;
  }
  const above = path + [...parts.slice(0, star), ""].join("/");
  const rest = parts.slice(star + 1);
  for (let at = lowerBound(refs, above); refs[at]?.name.startsWith(above);) {
    const ref = refs[at]!;
    const end = ref.name.indexOf("/", above.length);
    if (end < 0) {
      if (rest.length === 0) yield ref;
      at++;
    } else {
      yield undefined;
      if (rest.length > 0) yield* select(refs, ref.name.slice(0, end + 1), rest);
      at = lowerBound(refs, ref.name.slice(0, end) + AFTER_SLASH);
    }
  }
}

/** Position of the first reference whose name is not less than `name`. */
function lowerBound(refs: readonly Ref[], name: string): number {
  return firstWhere(refs.length, (at) => compareUtf8(refs[at]!.name, name) >= 0);
}
