/** The file of deviations: expected answers of ours that differ from recorded ones on purpose. README.md explains its format and its reasons. */
import { readFileSync, writeFileSync } from "node:fs";
import { applyChanges, type Changes, type Comparable, findChanges } from "./expected.ts";
import type { Recorded } from "./recordings.ts";

const FILE = new URL("deviations.jsonl", import.meta.url);
const REASONS_FILE = new URL("README.md", import.meta.url);
/** A line of the README's list of reasons. */
const REASON = /^- `([a-z0-9-]+)`: /gm;

/** A recorded request: `after` counts the requests that follow it at once, from 0. */
export interface Place {
  /** Path below `test/fixtures`, without `.jsonl.gz`. */
  readonly recording: string;
  /** Line of the recording, from 1. */
  readonly line: number;
  readonly after?: number;
  /** Method and path as recorded, so that a reader need not open the recording. */
  readonly request: string;
}

/** One line of the file. */
export interface Deviation extends Place, Changes {
  /** Key of the README's list of reasons. */
  readonly reason: string;
  /** Sent in place of the recorded body or header fields. */
  readonly send?: Pick<Recorded, "requestBody" | "bodyRaw" | "headers">;
}

/** Every deviation, in the order of the file. */
export function readDeviations(): Deviation[] {
  return readFileSync(FILE, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** Reasons that the README explains. */
export function readReasons(): Set<string> {
  return new Set([...readFileSync(REASONS_FILE, "utf8").matchAll(REASON)].map(([, key]) => key!));
}

/** The place of a recorded request. */
export function placeOf(recording: string, line: number, recorded: Recorded, after?: number): Place {
  const following = after === undefined ? undefined : recorded.after![after];
  const request = following ? `GET ${following.path}` : `${recorded.method} ${recorded.path}`;
  return { recording, line, ...(after !== undefined && { after }), request };
}

/** Names a place in maps and messages. */
export function keyOf({ recording, line, after }: Place): string {
  return `${recording}:${line}${after === undefined ? "" : `+${after + 1}`}`;
}

type Narrow = (one: Comparable) => Comparable;

/** Answers of a run beside the deviations that were expected. */
export class DeviationBook {
  readonly #byKey: Map<string, Deviation>;
  /** Places that were compared, and the deviations to write for them. */
  readonly #met = new Map<string, Deviation | Place | undefined>();

  constructor(deviations: readonly Deviation[]) {
    this.#byKey = new Map(deviations.map((one) => [keyOf(one), one]));
  }

  /** What to send in place of what was recorded. */
  sendFor(place: Place): Deviation["send"] {
    return this.#byKey.get(keyOf(place))?.send;
  }

  /** The answer to expect: the recorded one with its deviation. */
  expectedAt(place: Place, recorded: Comparable): Comparable {
    const known = this.#byKey.get(keyOf(place));
    return known === undefined ? recorded : applyChanges(recorded, known);
  }

  /**
   * Compares an answer with the expected one; one text for each difference.
   * @param narrow leaves out of an answer what differs by nature.
   */
  judge(place: Place, recorded: Comparable, answer: Comparable, narrow: Narrow): string[] {
    const known = this.#byKey.get(keyOf(place));
    const expected = this.expectedAt(place, recorded);
    const changes = findChanges(narrow(expected), narrow(answer));
    const isEqual = known === undefined
      ? changes === undefined
      : findChanges(narrow(recorded), narrow(answer)) === undefined;
    const send = known?.send && { send: known.send };
    const observed = isEqual && !send ? undefined : { ...place, ...send, ...findChanges(recorded, answer) };
    this.#met.set(keyOf(place), known !== undefined && changes === undefined && observed ? known : observed);
    return changes === undefined ? [] : describe(changes);
  }

  /**
   * Writes the file anew: requests of this run get the deviations that were seen, all others keep theirs.
   * @param reason of the deviations that are new or have changed. @returns how many were written.
   * @throws Error without writing when there are such deviations and no reason.
   */
  write(reason: string | undefined): number {
    const isNew = (one: Deviation | Place | undefined) => one !== undefined && !("reason" in one);
    const unexplained = [...this.#met].filter(([, one]) => isNew(one)).map(([key]) => key);
    if (unexplained.length > 0 && reason === undefined) {
      throw new Error(`Deviations without a reason (give one with --reason): ${unexplained.join(", ")}`);
    }
    const others = [...this.#byKey.values()].filter((one) => !this.#met.has(keyOf(one)));
    const seen = [...this.#met.values()].flatMap((one) =>
      one === undefined ? [] : "reason" in one ? [one] : [{ ...one, reason: reason! }]
    );
    const all = [...others, ...seen].sort(byPlace);
    writeFileSync(FILE, all.map((one) => `${JSON.stringify(ordered(one))}\n`).join(""));
    return seen.length;
  }
}

/** Order of the file: by recording, line and following request. */
export function byPlace(one: Place, other: Place): number {
  if (one.recording !== other.recording) return one.recording < other.recording ? -1 : 1;
  return one.line - other.line || (one.after ?? -1) - (other.after ?? -1);
}

function ordered({ recording, line, after, request, reason, ...rest }: Deviation): Deviation {
  return { recording, line, ...(after !== undefined && { after }), request, reason, ...rest };
}

function describe(changes: Changes): string[] {
  return Object.entries(changes).map(([name, value]) =>
    `${name}: got ${JSON.stringify(value).slice(0, 300)}`
  );
}
