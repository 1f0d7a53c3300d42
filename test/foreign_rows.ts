/** Rows of the table of functions that read foreign bytes (`foreign_table.ts`), and inputs for them. */
import { type Steps, Task } from "../src/scheduling/task.ts";

export const [KiB, MiB] = [2 ** 10, 2 ** 20];
/** Most bytes between two places where a task may pause. */
export const AT_MOST = 256 * KiB;
/** Inputs are as long at most: they are alike from start to end, so longer ones have the same distance. */
export const SAMPLE_BYTES = 16 * MiB;

/** Places where tasks might have paused: the clock that counts bytes. */
export const count = { places: 0 };

/** A function of the table, and why it may have its input. */
export interface Row {
  /** Most bytes, or code units, of the input. */
  readonly limit: number;
  /** Most bytes between two pauses; {@link AT_MOST} by default. */
  readonly bound?: number;
  /** Runs it on a worst input of about so many bytes; returns the bytes that it read. */
  readonly runs?: readonly ((size: number) => Promise<number>)[];
  /** Runs it; its error, or `undefined` as its result, is another one for one byte more than the limit. */
  readonly refuses?: (size: number) => unknown;
  /** Who sees to the limit, or why more than {@link AT_MOST} is allowed. Files in it must exist. */
  readonly because?: string;
}

/** It pauses on its way. */
export const pauses = <T>(
  limit: number,
  call: (input: T) => unknown,
  ...inputs: readonly ((size: number) => { readonly input: T; readonly bytes: number })[]
): Row => ({
  limit,
  runs: inputs.map((make) => async (size) => {
    const { input, bytes } = make(size);
    count.places = 0;
    await call(input);
    return bytes;
  }),
});
/** Its limit is so low that it needs no pause. It refuses more itself, or a caller does. */
export const short = (limit: number, refusal: string | ((size: number) => unknown)): Row => ({
  limit,
  ...typeof refusal === "string" ? { because: refusal } : { refuses: refusal },
});
/** It looks at so few bytes, wherever they are. */
export const fixed = (limit: number, because: string): Row => ({ limit, because });
/** It gets one line, name, entry or key of an input that the named caller walks with pauses, or has bounded. */
export const part = (limit: number, because: string): Row => ({ limit, bound: limit, because });
/** Only calls of the runtime go over all of the bytes. */
export const native = (limit: number, because: string): Row => ({ limit, bound: limit, because });
/** Our own bytes: written, copied or digested, not read. */
export const own = (because: string): Row => ({ limit: 0, because });
/** More than {@link AT_MOST} without a pause, for this reason. */
export const beyond = (limit: number, because: string): Row => ({ limit, bound: limit, because });

const encoder = new TextEncoder();
export const ascii = (text: string) => encoder.encode(text);
export const filled = (start: string, repeated: string, end: string, size: number): string =>
  start + repeated.repeat(Math.max(1, Math.floor((size - start.length - end.length) / repeated.length))) +
  end;
export const texts = (start: string, repeated: string, end = "") => (size: number) => {
  const input = filled(start, repeated, end, size);
  return { input, bytes: input.length };
};
export const bytes = (start: string, repeated: string, end = "") => (size: number) => {
  const input = ascii(filled(start, repeated, end, size));
  return { input, bytes: input.length };
};
export const steps = <T, R>(call: (input: T) => Steps<R>) => (input: T) => new Task().run(call(input));
