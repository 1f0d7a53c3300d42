/** `packed-refs`: many references in one file. */
import { DamagedError } from "../../errors.ts";
import { isOid } from "../../ids/oid.ts";
import type { Ref } from "../../ports/storage.ts";
import { compareUtf8 } from "../../text/compare_utf8.ts";
import { isStoredName, type RefPattern } from "../ref_names.ts";
import { Freshness } from "./freshness.ts";
import type { Surroundings } from "./surroundings.ts";

/** The largest file that is read, in bytes: some two million references. */
export const MAX_PACKED_REFS_BYTES = 2 ** 27;

/** The packed references of a repository, parsed once per change of the file. */
export class PackedRefs {
  readonly #path: string;
  readonly #surroundings: Surroundings;
  #refs: readonly Ref[] = [];
  #freshness: Freshness | undefined;

  /** @param path Path of the file; it need not exist. */
  constructor(path: string, surroundings: Surroundings) {
    this.#path = path;
    this.#surroundings = surroundings;
  }

  /**
   * All references, in ascending order: the same array for as long as the file is certainly unchanged.
   *
   * @throws {DamagedError} when the file is too large to be read.
   */
  all(): readonly Ref[] {
    return this.#read();
  }

  /**
   * The reference of that name.
   *
   * @throws {DamagedError} when the file is too large to be read.
   */
  get(name: string): Ref | undefined {
    const refs = this.#read();
    const ref = refs[lowerBound(refs, name)];
    return ref?.name === name ? ref : undefined;
  }

  /** The references as the file tells them now. */
  #read(): readonly Ref[] {
    const { fileSystem, now } = this.#surroundings;
    const nowMs = now();
    const stat = fileSystem.stat(this.#path);
    if (this.#freshness?.holds(stat)) return this.#refs;
    if (stat !== undefined && stat.size > MAX_PACKED_REFS_BYTES) {
      throw new DamagedError("The list of packed references is too large to be read");
    }
    const bytes = stat?.kind === "file" ? fileSystem.read(this.#path) : undefined;
    this.#refs = bytes === undefined ? [] : this.#parse(new TextDecoder().decode(bytes));
    this.#freshness = new Freshness(stat, nowMs);
    return this.#refs;
  }

  /** Lines `<oid> <name>`. Others are comments (`#`), or tell what a tag above them points to (`^`). */
  #parse(text: string): Ref[] {
    const refs: Ref[] = [];
    let isSorted = true;
    for (const line of text.split("\n")) {
      if (line === "" || line.startsWith("#") || line.startsWith("^")) continue;
      const [oid, name] = [line.slice(0, 40), line.slice(41)];
      if (!isOid(oid) || line[40] !== " " || !isStoredName(name)) {
        this.#surroundings.logOnce(`${this.#path} has a line that is no reference: ${line.slice(0, 100)}`);
        continue;
      }
      isSorted &&= compareUtf8(refs.at(-1)?.name ?? "", name) < 0;
      refs.push({ name, oid });
    }
    return isSorted ? refs : refs.sort((a, b) => compareUtf8(a.name, b.name));
  }
}

/** The selected ones of references in ascending order, in that order. */
export function selectRefs(refs: readonly Ref[], { parts, isPrefix }: RefPattern): Ref[] {
  return [...select(refs, "", isPrefix ? [...parts, ""] : parts)];
}

/** What follows a slash in the order of bytes: names that begin with `a0` come right after those that begin with `a/`. */
const AFTER_SLASH = "0";

/**
 * Those of the references, which are in order, whose names are `path` and the components after it. `*` is any one component, an empty one at the
 * end any number of them.
 */
function* select(refs: readonly Ref[], path: string, parts: readonly string[]): Generator<Ref> {
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
      if (rest.length > 0) yield* select(refs, ref.name.slice(0, end + 1), rest);
      at = lowerBound(refs, ref.name.slice(0, end) + AFTER_SLASH);
    }
  }
}

/** Position of the first reference whose name is not before `name`. */
function lowerBound(refs: readonly Ref[], name: string): number {
  let [low, high] = [0, refs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareUtf8(refs[middle]!.name, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
