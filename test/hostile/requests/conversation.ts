/** What one connection sends: a hostile request, often between marked ones whose answers are known. */
import type { GoodRequest } from "./good.ts";
import { oddRequest } from "./grammar.ts";
import { hidingRequests } from "./hidden.ts";
import { changedRequest } from "./mutation.ts";
import { Random } from "./random.ts";

/**
 * The client waits for the answers; says at once that it sends no more; or breaks the connection after all
 * that it sends, which may be in the middle of a request.
 */
export type Ending = "wait" | "half-closed" | "reset";

/** All that a connection sends. Each character of a text is a byte. */
export interface Conversation {
  /** The same seed and number make the same conversation with the same service. */
  readonly seed: number;
  readonly number: number;
  readonly kind: Kind;
  /** Sent one after the other. */
  readonly pieces: readonly string[];
  readonly ending: Ending;
  /** Number of marked requests before the hostile one. */
  readonly led: number;
  /** Whether a marked request comes after it. */
  readonly isFollowed: boolean;
  /** Whether the hostile request asks for an answer without its body. */
  readonly isHead: boolean;
  /** Whether it names no version, as one of HTTP/0.9, whose answer is a body alone. */
  readonly isOld: boolean;
  /** Whether it begins as HTTP/2 does (RFC 9113, 3.4): Node.js closes the connection at once then. */
  readonly isPreface: boolean;
}

/** Kinds, the more frequent ones more often. */
const KINDS = [
  ...Array.from({ length: 8 }, () => "grammar" as const),
  ...Array.from({ length: 10 }, () => "changed" as const),
  "hidden",
  "pipeline",
] as const;
export type Kind = typeof KINDS[number];

/** Requests of a pipeline: more than a server lets wait, sometimes. */
const MAX_PIPELINE = 24;

/**
 * Mark of a request that no other connection has, with a sign that is in no id; a label of two digits gives the
 * order within it.
 */
export function markOf(number: number): string {
  return `~${number}x`;
}

/** Labels: of what comes before the hostile request, of itself, of what comes after, of what is hidden. */
const [ITSELF, AFTER, HIDDEN] = ["50", "99", "ss"];

/** Finds marks: the number of the connection, and the label. */
export const MARKS = /~(\d+)x(\d\d|ss)?/g;

/** The conversation of a number. */
export function conversationOf(seed: number, number: number, good: readonly GoodRequest[]): Conversation {
  const random = new Random(seed, number);
  const mark = markOf(number);
  const kind = random.one(KINDS);
  const request = requestOf(kind, random, mark, good);
  const led = kind === "pipeline" ? 1 + random.below(MAX_PIPELINE) : random.below(2);
  const isFollowed = random.isOneIn(2);
  const before = Array.from({ length: led }, (_, i) => marked(mark + String(i).padStart(2, "0"), random))
    .join("");
  const after = isFollowed ? marked(mark + AFTER, random, "Connection: close\r\n") : "";
  const ending = random.one(["wait", "wait", "wait", "half-closed", "reset"] as const);
  const all = before + request + after;
  const sent = ending === "reset" ? all.slice(0, random.below(all.length + 1)) : all;
  return {
    seed,
    number,
    kind,
    pieces: random.isOneIn(4) ? split(sent, random) : [sent],
    ending,
    led,
    isFollowed,
    isHead: /^[\r\n]*HEAD /.test(request),
    isPreface: /^PRI /m.test(request),
    isOld: !/^[\r\n]*[^\r\n]* HTTP\/\d/.test(request),
  };
}

function requestOf(kind: Kind, random: Random, mark: string, good: readonly GoodRequest[]): string {
  switch (kind) {
    case "grammar":
      return oddRequest(random, mark);
    case "changed":
      return changedRequest(random.one(good), random, mark);
    case "hidden":
      return random.one(hidingRequests(`/${mark}${HIDDEN}/HEAD`));
    case "pipeline":
      return marked(mark + ITSELF, random);
  }
}

/** A good request whose answer repeats the mark: of git, which a replica passes on, or of the list of projects. */
function marked(mark: string, random: Random, fields = ""): string {
  const target = random.one([`/${mark}/HEAD`, `/api/v1/projects?page=${mark}`]);
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`;
}

function split(text: string, random: Random): string[] {
  const places = Array.from({ length: 1 + random.below(3) }, () => random.below(text.length + 1)).sort((
    a,
    b,
  ) => a - b);
  return [0, ...places].map((at, i) => text.slice(at, places[i]));
}
