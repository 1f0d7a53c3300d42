/** Rows of the table of functions that read foreign bytes (`foreign_table.ts`), and inputs for them. */
import { encodeColumns } from "../src/git/saved_index.ts";
import { BodyBudget } from "../src/http/receive_body.ts";
import type { Rules } from "../src/cob/rules.ts";
import { parseRid } from "../src/ids/rid.ts";
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

export const RID = parseRid("rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5");
export const RULES = { oids: "full", dividers: "all", needsNames: true } as Rules;
export const zeros = "0".repeat(40);
export const TREE = `tree ${zeros}\n`;
export const PEOPLE = `author a <a> 1 +0000\ncommitter a <a> 1 +0000\n`;
/** Commits of parents, of one header line, of a message that no encoding makes sense of, of blanks. */
export const COMMITS = [
  bytes(TREE, `parent ${zeros}\n`, `${PEOPLE}\n`),
  bytes(`${TREE}author `, " ", ` <a> 1 +0000\ncommitter a <a> 1 +0000\n\n`),
  bytes(`${TREE}${PEOPLE}encoding shift_jis\n\n`, "é"),
  bytes(`${TREE}${PEOPLE}\n`, "a\n"),
];
/** Trees of short names, and of long ones, which differ in their last byte or not at all. */
export const TREES = [1, 4000].map((length) => (size: number) => {
  const count = Math.floor(size / (length + 8 + 28));
  const name = "a".repeat(length);
  const entry = (i: number) => `100644 ${name}${i.toString(36).padStart(7, "0")}\0${"x".repeat(20)}`;
  const input = ascii(Array.from({ length: count }, (_, i) => entry(i)).join(""));
  return { input, bytes: input.length };
});
export const NAME = ascii(`${"a".repeat(4000)}zzzzzzz`);
/** Requests of the shortest frames that count, and of the longest ones. */
export const FRAMES = [
  `0032want ${zeros}\n`,
  `0032have ${zeros}\n`,
  `ea60ref-prefix ${"a".repeat(0xea60 - 16)}\n`,
]
  .map((frame) => bytes("", frame));
/** JSON of small values, of one string, of escapes. */
export const JSONS = (values: number) => [
  (size: number) => {
    const input = `{"a":[${
      `${" ".repeat(Math.max(0, Math.floor(size / values) - 2))}1,`.repeat(values - 10)
    }1]}`;
    return { input, bytes: input.length };
  },
  texts('{"a":"', "x", '"}'),
  texts('{"a":"', "\\n", '"}'),
];
export const asBytes = (make: (size: number) => { input: string; bytes: number }) => (size: number) => ({
  ...make(size),
  input: ascii(make(size).input),
});
export const LIMITS = { maxDepth: 127 };
export const BUILDER = {
  literal: (): unknown => null,
  number: (): unknown => 0,
  string: (): unknown => "",
  array: (): unknown => null,
  object: (): unknown => null,
};
/** A stream of one piece, and of pieces as sockets give them. */
export const streams = [64 * KiB, Infinity].map((piece) => (input: Uint8Array<ArrayBuffer>) => {
  let at = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at >= input.length) return controller.close();
      controller.enqueue(input.slice(at, at += Math.min(piece, input.length)));
    },
  });
});
export const post = (body: ReadableStream, headers: Record<string, string>) =>
  new Request("http://a/", { method: "POST", headers, body, duplex: "half" } as RequestInit);
export const budget = () => new BodyBudget();

/** Saved columns of rows without parents, whose ids differ. */
export async function savedColumns(size: number): Promise<Uint8Array<ArrayBuffer>> {
  const rows = Math.floor((size - KiB) / 61);
  const oids = new Uint8Array(rows * 20);
  new Uint32Array(oids.buffer).forEach((_, i, words) => words[i] = i);
  return (await encodeColumns(RID, {
    times: new Float64Array(rows),
    authors: new Uint32Array(rows),
    parentEnds: new Uint32Array(rows),
    pathEnds: new Uint32Array(rows),
    parents: new Uint32Array(),
    hashes: new Uint32Array(),
    oids,
    trees: new Uint8Array(rows * 20),
    listings: new Uint8Array(rows),
    authorHashes: new Uint8Array(20),
  }))!;
}
