/** Recordings of the real service: their files, lines and answers; the format is that of test/fixtures/README.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ROOT } from "../support/programs.ts";

/** A recorded answer; one of the body members at most. */
export interface RecordedAnswer {
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  /** Size in bytes and SHA-256 in hex of a body that is too long to be kept. */
  readonly bodyLength?: number;
  readonly bodySha256?: string;
  /** Of an archive: name, mode, size and type of its entries, and its comment. */
  readonly entries?: readonly (readonly (string | number)[])[];
  readonly paxComment?: string | null;
  readonly zipComment?: string;
  /** Whether the recorded service closed the connection without an answer. */
  readonly dropped?: boolean;
}

/** A body that repeats `fill` between `prefix` and `suffix` up to `total` bytes. */
export interface PaddedBody {
  readonly prefix: string;
  readonly fill: string;
  readonly suffix: string;
  readonly total: number;
}

/** A request as it was sent. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query, to be sent byte for byte. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestBody?: unknown;
  readonly bodyRaw?: string | { readonly base64: string };
  readonly bodyPadded?: PaddedBody;
  /** The same as `bodyRaw`, in recordings of git. */
  readonly body_sent?: string;
}

/** A recorded request with its answer. */
export interface Recorded extends RecordedRequest, RecordedAnswer {
  readonly step?: number;
  readonly note?: string;
  /** Name of the session that the answer opens. */
  readonly savesSession?: string;
  /** Seconds between the issue and the expiry of the session in the answer. */
  readonly lifetime?: number;
  /** Object ids of the signer's references after the change. */
  readonly refs?: Readonly<Record<string, string>>;
  /** Requests that follow at once, each with its answer. */
  readonly after?: readonly (RecordedAnswer & { readonly path: string })[];
}

/** A line that is no request: `wait`, `remove` a file of the home, `start` and `stop` the nodes. */
export interface Control {
  readonly control: string;
  readonly seconds?: number;
  readonly file?: string;
}

/** First line of a sequence. */
export interface SequenceHead {
  readonly sequence: string;
  /** Node id of the home, and the seed of its key in hex. */
  readonly nodeId: string;
  readonly seed: string;
}

/** A line that opens the part of one home. */
export interface Opening {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly startFails?: boolean;
}

/** A line with its number, from 1. */
export interface Line<T> {
  readonly line: number;
  readonly value: T;
}

/** A recording, or one part of it. */
export interface Recording {
  /** Path below `test/fixtures`, without `.jsonl.gz`. */
  readonly name: string;
  /** The head of a sequence; undefined for reads in any order. */
  readonly head?: SequenceHead;
  readonly lines: readonly Line<Recorded | Control>[];
}

/** Lines of the recordings that were read, by name: all runtimes and cases share them. 60 MB of text in total. */
const linesByName = new Map<string, readonly unknown[]>();

/** Every line of a recording as it is written. */
export function readLines(name: string): readonly unknown[] {
  let lines = linesByName.get(name);
  if (lines === undefined) {
    const path = join(ROOT, "test", "fixtures", `${name}.jsonl.gz`);
    const text = gunzipSync(readFileSync(path)).toString("utf8");
    lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    linesByName.set(name, lines);
  }
  return lines;
}

/** The requests of a recording that are replayed. */
export interface Selection {
  /** What follows the opening of this number, from 0. */
  readonly part?: number;
  /** The requests of this home. */
  readonly ofHome?: string;
}

/** A recording, or the selected requests of it. */
export function readRecording(name: string, { part, ofHome }: Selection = {}): Recording {
  const lines = readLines(name).map((value, at) => ({ line: at + 1, value: value as object }));
  const openings = lines.flatMap(({ value }, at) => "env" in value ? [at] : []);
  const own = part === undefined ? lines : lines.slice(openings[part], openings[part + 1]);
  const [first] = own;
  const head = first !== undefined && "sequence" in first.value ? first.value as SequenceHead : undefined;
  const isReplayed = ({ value }: Line<object>) =>
    "control" in value ||
    "path" in value && (ofHome === undefined || "home" in value && value.home === ofHome);
  return {
    name,
    ...(head && { head }),
    lines: own.filter(isReplayed) as unknown as Line<Recorded | Control>[],
  };
}

/** The members of a recorded request that are sent, without the answer. */
const SENT: ReadonlySet<string> = new Set(
  [
    "method",
    "path",
    "headers",
    "requestBody",
    "bodyRaw",
    "bodyPadded",
    "body_sent",
  ] satisfies (keyof RecordedRequest)[],
);

/** A recorded request without its answer. */
export function requestOf(recorded: RecordedRequest): RecordedRequest {
  const sent = Object.entries(recorded).filter(([name]) => SENT.has(name));
  return Object.fromEntries(sent) as unknown as RecordedRequest;
}

/** Whether a line is a request. */
export function isRequest(line: Line<Recorded | Control>): line is Line<Recorded> {
  return "path" in line.value;
}
