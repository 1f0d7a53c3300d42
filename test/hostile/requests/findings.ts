/** Figures and faults of conversations with the services of one runtime. */
import { readAnswers } from "./answers.ts";
import type { Conversation } from "./conversation.ts";
import type { Heard } from "./exchange.ts";
import { faultsOf } from "./oracle.ts";
import type { Way } from "./services.ts";

/** Most bytes of a faulty conversation that are shown. */
const MAX_SHOWN_BYTES = 3000;
/** Newest conversations that are known by their times. */
const MAX_LATEST = 100_000;
/** Of these, the ones that may have ended a process. */
const NEWEST = 40;

/** A conversation that was held over a way. */
interface Held {
  readonly way: Way;
  readonly number: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** What was found in conversations so far. */
export class Findings {
  /** Conversations with something wrong, as text for a person, who may replay them. */
  readonly faults: string[] = [];
  readonly #kinds = new Map<string, number>();
  readonly #statuses = new Map<string, number>();
  readonly #latest: Held[] = [];

  /** Judges what was heard in a conversation. */
  add(way: Way, conversation: Conversation, heard: Heard): void {
    count(this.#kinds, conversation.kind);
    const { answers } = readAnswers(heard.text, conversation.isHead ? conversation.led : -1);
    for (const { status } of answers) count(this.#statuses, String(status));
    if (answers.length === 0) count(this.#statuses, "none");
    const { startMs, ms } = heard;
    this.#latest.push({ way, number: conversation.number, startMs, endMs: startMs + ms });
    if (this.#latest.length > MAX_LATEST) this.#latest.splice(0, MAX_LATEST / 2);
    for (const fault of faultsOf(conversation, heard, way)) {
      this.faults.push(`${fault}\n${shown(way, conversation)}`);
    }
  }

  /** Numbers by kinds of conversations, and by statuses of answers. */
  get figures(): string {
    return `${formatCounts(this.#kinds)}\n  answers: ${formatCounts(this.#statuses)}`;
  }

  /** The newest conversations. */
  get newest(): string {
    return named(this.#latest.slice(-NEWEST));
  }

  /** Number of the last conversation that began before a moment; 0 when it is forgotten. */
  latestAt(untilMs: number): number {
    return this.#latest.findLast(({ startMs }) => startMs <= untilMs)?.number ?? 0;
  }

  /** Conversations that were under way at some time of a wait. */
  underWay(untilMs: number, ms: number): string {
    return named(this.#latest.filter(({ startMs, endMs }) => startMs <= untilMs && endMs >= untilMs - ms));
  }
}

function named(held: readonly Held[]): string {
  return held.map(({ way, number }) => `${number} by ${way.name}`).join(", ");
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function formatCounts(counts: ReadonlyMap<string, number>): string {
  return [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(([what, count]) => `${count} × ${what}`).join(
    ", ",
  );
}

/** Bytes for a person, cut off when there are many. */
export function quoted(text: string): string {
  const more = text.length > MAX_SHOWN_BYTES ? ` and ${text.length - MAX_SHOWN_BYTES} bytes` : "";
  return JSON.stringify(text.slice(0, MAX_SHOWN_BYTES)) + more;
}

function shown({ name }: Way, { seed, number, kind, pieces, ending }: Conversation): string {
  const again = `npm run hostile -- --replay ${seed}:${number}`;
  return `    ${kind}, ${ending}, by ${name}: ${again}\n    ${quoted(pieces.join(""))}`;
}
