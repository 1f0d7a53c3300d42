/** Slices of long lists: checked one after the other, so that a list of any length is checked in steps. */
import * as v from "valibot";
import { misshapen } from "./stored_value.ts";

/**
 * Plain items of a slice. An object that is there several times in a row is stored and checked once, and has
 * one output.
 */
export class ListSlice {
  /** The items without repetitions. */
  readonly items: unknown[] = [];
  /** Number of times that each item is there in a row. */
  readonly #counts: number[] = [];
  /** Number of items, repetitions included. */
  length = 0;

  /** Counts an object that is the last item once more; returns `false` for any other value. */
  repeats(plain: unknown): boolean {
    const last = this.items.length - 1;
    if (last < 0 || typeof plain !== "object" || plain !== this.items[last]) return false;
    this.#counts[last]!++;
    this.length++;
    return true;
  }

  /** Adds an item at the end. */
  add(plain: unknown): void {
    this.items.push(plain);
    this.#counts.push(1);
    this.length++;
  }

  /**
   * The outputs of the schema of the list, repetitions included unless the list is a set.
   *
   * @throws {Misshapen} when the schema refuses an item.
   */
  check(schema: v.GenericSchema): readonly unknown[] {
    const { success, output } = v.safeParse(schema, this.items, { abortEarly: true });
    if (!success) return misshapen();
    return isSet(schema) ? output as unknown[] : this.expand(output as unknown[]);
  }

  /** Adds the repetitions to the items, or to their outputs. */
  expand(each: readonly unknown[]): unknown[] {
    if (this.length === each.length) return [...each];
    const all = new Array<unknown>(this.length);
    let at = 0;
    for (const [i, count] of this.#counts.entries()) all.fill(each[i], at, at += count);
    return all;
  }
}

/** Whether a list is transformed to a set, which has no repetitions. */
function isSet(schema: v.GenericSchema): boolean {
  return "compare" in v.getMetadata(schema);
}
