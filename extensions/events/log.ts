/**
 * The logs of changes: the latest ones, as they are sent. Each has an id, by which a reader goes on after it.
 * An id is the name of a run and a number; numbers go on from run to run. The owner and strangers have a log
 * each, with names, numbers and limits of its own: nothing that strangers get shows that something private
 * has happened.
 */
import * as v from "valibot";
import type { LiveEvent } from "./contract.ts";
import { EVENT_TYPES, type EventType } from "./request.ts";
import { type RepoId, tryParseRid } from "../../src/ids/rid.ts";
import type { Task } from "../../src/scheduling/task.ts";
import { TextDigest } from "../../src/text/digest.ts";
import type { RepositoryState } from "./moved_references.ts";

/** Most events in a log. */
export const MAX_EVENTS = 4096;
/** Most characters of all events in a log. */
export const MAX_LOG_LENGTH = 2 ** 21;
/** Most characters of one event: a longer one becomes a `reset` of its repository. */
export const MAX_EVENT_LENGTH = 8192;
/** Characters of events that are sent at once; the last one may exceed them. */
const CHUNK_LENGTH = 8192;
/** Chunks that readers share. */
const MAX_SHARED_CHUNKS = 64;
/** Earlier runs of which ids are known. */
export const MAX_RUNS = 16;

/** Ids of events: what a client sends is no longer, and of no other form. */
const EVENT_ID = /^([0-9a-f]{16})-(\d{1,15})$/;

/** Readers who get an event. */
export type Audience = "all" | "owner" | "strangers";

/** An event in a log. */
export interface LoggedEvent {
  readonly type: EventType;
  /** Absent in events of the node, and of all repositories. */
  readonly rid: RepoId | undefined;
  /** Its block in a stream of events; empty for an event that is not shown any more. */
  readonly block: string;
}

/** The events of a log that a reader wants. */
export interface Interest {
  /** One repository; all by default. */
  readonly rid?: RepoId | undefined;
  /** All by default. */
  readonly types?: readonly EventType[] | undefined;
}

/** A run of the service, and the numbers of its events. */
export interface Run {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

/** A log as it was saved. */
export interface LogState {
  /** The oldest first. */
  readonly runs: readonly Run[];
  /** Their numbers are the last ones of the runs. */
  readonly events: readonly LoggedEvent[];
}

/** Events from a place of a log on. */
export interface Chunk {
  /** Absent when none of them is wanted. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** The place after them. */
  readonly next: number;
}

const encoder = new TextEncoder();

/** The log of one audience. */
export class EventLog {
  readonly #name: string;
  readonly #earlier: readonly Run[];
  /** The number of the first event of this run. */
  readonly #firstOfRun: number;
  readonly #events: LoggedEvent[];
  #length = 0;
  /** The number of the next event. */
  #end: number;
  readonly #shared = new Map<string, Chunk>();

  /** @param name Sixteen hexadecimal digits that no other run has. */
  constructor(name: string, { runs, events }: LogState = { runs: [], events: [] }) {
    this.#name = name;
    this.#earlier = runs.slice(1 - MAX_RUNS);
    this.#end = this.#firstOfRun = (runs.at(-1)?.last ?? 0) + 1;
    this.#events = [...events];
    for (const { block } of events) this.#length += block.length;
  }

  /** The place after the last event. */
  get end(): number {
    return this.#end;
  }

  /** The id of the last event, or that of none yet. */
  get lastId(): string {
    return `${this.#name}-${this.#end - 1}`;
  }

  /** The log as it is to be saved: of its events those that fit so many characters. */
  state(maxLength: number): LogState {
    const run = { name: this.#name, first: this.#firstOfRun, last: this.#end - 1 };
    let from = this.#events.length;
    for (let length = 0; from > 0; from--) {
      length += this.#events[from - 1]!.block.length;
      if (length > maxLength) break;
    }
    return { runs: [...this.#earlier, run], events: this.#events.slice(from) };
  }

  /** Adds an event; one that is too long becomes a `reset`. */
  append(event: LiveEvent): void {
    const rid = "rid" in event ? event.rid : undefined;
    const data = JSON.stringify(event);
    if (data.length > MAX_EVENT_LENGTH) {
      return this.append({ type: "reset", ...rid !== undefined && { rid } });
    }
    const id = `${this.#name}-${this.#end++}`;
    const block = `id: ${id}\nevent: ${event.type}\ndata: ${data}\n\n`;
    this.#events.push({ type: event.type, rid, block });
    this.#length += block.length;
    while (this.#events.length > MAX_EVENTS || this.#length > MAX_LOG_LENGTH) {
      this.#length -= this.#events.shift()!.block.length;
    }
    this.#shared.clear();
  }

  /** Shows nothing any more of what has happened in a repository. Later events are as they were. */
  hide(rid: RepoId): void {
    for (const [i, event] of this.#events.entries()) {
      if (event.rid !== rid) continue;
      this.#length -= event.block.length;
      this.#events[i] = { ...event, block: "" };
    }
    this.#shared.clear();
  }

  /** Place after the event with an id; `undefined` when the id is unknown, or events after it are gone. */
  placeAfter(id: string): number | undefined {
    const [, name, digits] = EVENT_ID.exec(id) ?? [];
    const number = Number(digits);
    const run = name === this.#name
      ? { first: this.#firstOfRun, last: this.#end - 1 }
      : this.#earlier.find((run) => run.name === name);
    const isKnown = run !== undefined && number >= run.first - 1 && number <= run.last;
    return isKnown && number + 1 >= this.#first ? number + 1 : undefined;
  }

  /**
   * The next events at a place that somebody is interested in, as UTF-8 that must not be changed; `undefined`
   * when they are gone.
   */
  read(place: number, interest: Interest): Chunk | undefined {
    if (place < this.#first) return undefined;
    const { rid, types } = interest;
    const key = `${place} ${rid} ${types}`;
    const shared = this.#shared.get(key);
    if (shared !== undefined) return shared;
    let text = "";
    let next = place;
    while (next < this.#end && text.length < CHUNK_LENGTH) {
      const event = this.#events[next++ - this.#first]!;
      if (isFor(event, interest)) text += event.block;
    }
    const chunk = { bytes: text === "" ? undefined : encoder.encode(text), next };
    if (this.#shared.size < MAX_SHARED_CHUNKS) this.#shared.set(key, chunk);
    return chunk;
  }

  get #first(): number {
    return this.#end - this.#events.length;
  }
}

/** The logs of both audiences. */
export class EventLogs {
  readonly owner: EventLog;
  readonly strangers: EventLog;

  /** @param makeName Makes the names of their runs: sixteen hexadecimal digits that no other run has. */
  constructor(makeName: () => string, saved?: SavedLog["logs"]) {
    this.owner = new EventLog(makeName(), saved?.owner);
    this.strangers = new EventLog(makeName(), saved?.strangers);
  }

  /** Grows with every event of either log. */
  get end(): number {
    return this.owner.end + this.strangers.end;
  }

  /** Adds an event to the logs of those who get it. */
  append(event: LiveEvent, audience: Audience): void {
    if (audience !== "strangers") this.owner.append(event);
    if (audience !== "owner") this.strangers.append(event);
  }

  /** The logs as they are to be saved: of the events of each those that fit so many characters. */
  state(maxLength: number): SavedLog["logs"] {
    return { owner: this.owner.state(maxLength), strangers: this.strangers.state(maxLength) };
  }
}

/** The block that tells a reader to read everything again; the reader goes on after the event with the id. */
export function resetBlock(id: string): string {
  return `id: ${id}\nevent: reset\ndata: {"type":"reset"}\n\n`;
}

function isFor({ type, rid }: LoggedEvent, interest: Interest): boolean {
  if (type === "reset" && rid === undefined) return true;
  if (interest.rid !== undefined && rid !== interest.rid) return false;
  return type === "reset" || interest.types === undefined || interest.types.includes(type);
}

/** Clients that listen to changes at a time unless an operator says otherwise. */
export const DEFAULT_MAX_READERS = 1000;

/** Raised when the form changes. */
const FORMAT = 2;
/** Most characters of events of a log that are saved. */
export const MAX_SAVED_LENGTH = 2 ** 18;
/** Longest file that is read, in bytes. */
export const MAX_FILE_BYTES = 2 ** 22;
/** Lines between two pauses: below a millisecond. */
const LINES_AT_ONCE = 256;

/** Content of the file. */
export interface SavedLog {
  readonly logs: { readonly owner: LogState; readonly strangers: LogState };
  readonly states: readonly (readonly [rid: RepoId, state: Pick<RepositoryState, "isPublic" | "digest">])[];
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Rid = v.pipe(v.string(), v.custom<RepoId>((text) => tryParseRid(text as string) === text));
/** A log: its runs, and the number of lines with its events. */
const Extent = v.strictObject({
  runs: v.pipe(v.array(v.strictObject({ name: v.string(), first: count, last: count })), v.minLength(1)),
  events: count,
});
const Head = v.strictObject({ format: v.literal(FORMAT), owner: Extent, strangers: Extent });
const Event = v.strictTuple([
  v.picklist<readonly EventType[]>([...EVENT_TYPES, "reset"]),
  v.nullable(Rid),
  v.string(),
]);
const State = v.strictTuple([Rid, v.boolean(), v.string()]);

/** The bytes of a file: a head, the events of the owner, those of strangers, and the states. */
export async function encodeLog(
  { logs: { owner, strangers }, states }: SavedLog,
  task: Task,
): Promise<Uint8Array> {
  const extentOf = ({ runs, events }: LogState) => ({ runs, events: events.length });
  const lines = [JSON.stringify({ format: FORMAT, owner: extentOf(owner), strangers: extentOf(strangers) })];
  for (const { type, rid, block } of [...owner.events, ...strangers.events]) {
    lines.push(JSON.stringify([type, rid ?? null, block]));
    await task.yield();
  }
  for (const [rid, { isPublic, digest }] of states) lines.push(JSON.stringify([rid, isPublic, digest]));
  return new TextEncoder().encode([await digestOf(lines, task), ...lines].join("\n"));
}

/** Reads a file; `undefined` when it is damaged or of another form. */
export async function decodeLog(bytes: Uint8Array, task: Task): Promise<SavedLog | undefined> {
  if (bytes.length > MAX_FILE_BYTES) return undefined;
  const [digest, ...lines] = new TextDecoder().decode(bytes).split("\n");
  if (await digestOf(lines, task) !== digest) return undefined;
  try {
    const { owner, strangers } = v.parse(Head, JSON.parse(lines[0] ?? ""));
    const events: LoggedEvent[] = [];
    const states = [];
    for (const [i, line] of lines.slice(1).entries()) {
      if (i % LINES_AT_ONCE === 0) await task.yield();
      const parsed: unknown = JSON.parse(line);
      if (i < owner.events + strangers.events) {
        const [type, rid, block] = v.parse(Event, parsed);
        events.push({ type, rid: rid ?? undefined, block });
      } else {
        const [rid, isPublic, digest] = v.parse(State, parsed);
        states.push([rid, { isPublic, digest }] as const);
      }
    }
    const logs = {
      owner: { runs: owner.runs, events: events.slice(0, owner.events) },
      strangers: { runs: strangers.runs, events: events.slice(owner.events) },
    };
    return { logs, states };
  } catch {
    return undefined;
  }
}

async function digestOf(lines: readonly string[], task: Task): Promise<string> {
  const digest = new TextDigest();
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    digest.add(lines.slice(at, at + LINES_AT_ONCE).join("\n"));
    await task.yield();
  }
  return digest.end();
}
