/**
 * A log of the latest events in memory. The id of an event consists of the name of its log and a number. A
 * reader can continue after an event with a known id. The owner has a separate log with separate numbers, so
 * that the ids of other clients do not show how many private events happened.
 */
import type { LiveEvent } from "./contract.ts";
import type { EventType } from "./request.ts";
import { joinBytes, type RepoId } from "../../src/mod.ts";

/** Maximum number of events in a log. */
export const MAX_EVENTS = 4096;
/** Maximum total size of the events in a log, in bytes. */
export const MAX_LOG_BYTES = 2 ** 21;
/**
 * Maximum length of the data of an event, in characters. A `reset` of the repository replaces a longer event.
 */
export const MAX_EVENT_LENGTH = 8192;
/** Maximum size of the events that are sent at once, in bytes. The last event may exceed the maximum. */
const CHUNK_BYTES = 8192;
/** Maximum number of chunks that are shared by readers at the same position. */
const MAX_SHARED_CHUNKS = 64;

/** Pattern of an event id. Any other text of a client counts as an unknown id. */
const EVENT_ID = /^([0-9a-f]{16})-(\d{1,15})$/;

/** Readers who get an event. `strangers` are clients other than the owner. */
export type Audience = "all" | "owner" | "strangers";

/** The events that a reader requests. */
export interface Interest {
  /** Repository whose events are requested; by default all repositories. */
  readonly rid?: RepoId | undefined;
  /** Types of the requested events; by default all types. */
  readonly types?: readonly EventType[] | undefined;
}

/** Consecutive events of a log. */
export interface Chunk {
  /**
   * The events in the format of the stream; `undefined` when the reader has requested none of these events.
   */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Position after the last of these events. */
  readonly next: number;
}

interface LoggedEvent {
  readonly type: EventType;
  /** Repository of the event; `undefined` for events of the node or of all repositories. */
  readonly rid: RepoId | undefined;
  /** The event in the format of the stream; empty when the event is hidden. */
  readonly block: Uint8Array;
}

const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

/** Events for the owner, or for all other clients. */
export class EventLog {
  readonly #name: string;
  /** The oldest event is first. The numbers of the events are consecutive and end before {@link end}. */
  readonly #events: LoggedEvent[] = [];
  #bytes = 0;
  #end = 1;
  readonly #shared = new Map<string, Chunk>();

  /** @param name Unique name of the log: sixteen hexadecimal digits. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Number of the next event. */
  get end(): number {
    return this.#end;
  }

  /** Id of the last event. Before the first event, the id stands for the start of the log. */
  get lastId(): string {
    return `${this.#name}-${this.#end - 1}`;
  }

  append(event: LiveEvent): void {
    const rid = "rid" in event ? event.rid : undefined;
    const data = JSON.stringify(event);
    if (data.length > MAX_EVENT_LENGTH) {
      this.append({ type: "reset", ...rid !== undefined && { rid } });
      return;
    }
    const id = `${this.#name}-${this.#end}`;
    const block = encoder.encode(`id: ${id}\nevent: ${event.type}\ndata: ${data}\n\n`);
    this.#end++;
    this.#events.push({ type: event.type, rid, block });
    this.#bytes += block.length;
    while (this.#events.length > MAX_EVENTS || this.#bytes > MAX_LOG_BYTES) {
      this.#bytes -= this.#events.shift()!.block.length;
    }
    this.#shared.clear();
  }

  /** Hides all events of a repository that are now in the log, so that readers no longer get them. */
  hide(rid: RepoId): void {
    for (const [i, event] of this.#events.entries()) {
      if (event.rid !== rid) continue;
      this.#bytes -= event.block.length;
      this.#events[i] = { ...event, block: NOTHING };
    }
    this.#shared.clear();
  }

  /**
   * Returns the position after the event with an id; `undefined` when the id is unknown, or when later events
   * have been dropped.
   */
  placeAfter(id: string): number | undefined {
    const [, name, digits] = EVENT_ID.exec(id) ?? [];
    const place = Number(digits) + 1;
    return name === this.#name && place >= this.#first && place <= this.#end ? place : undefined;
  }

  /**
   * Returns some events from a position on; `undefined` when events at this position have been dropped. The
   * caller must not change the bytes.
   */
  read(place: number, interest: Interest): Chunk | undefined {
    if (place < this.#first) return undefined;
    const { rid, types } = interest;
    const key = `${place} ${rid} ${types}`;
    const shared = this.#shared.get(key);
    if (shared !== undefined) return shared;
    const blocks: Uint8Array[] = [];
    let bytes = 0;
    let next = place;
    while (next < this.#end && bytes < CHUNK_BYTES) {
      const event = this.#events[next - this.#first]!;
      next++;
      if (!isFor(event, interest)) continue;
      blocks.push(event.block);
      bytes += event.block.length;
    }
    const chunk = { bytes: bytes === 0 ? undefined : joinBytes(blocks), next };
    if (this.#shared.size < MAX_SHARED_CHUNKS) this.#shared.set(key, chunk);
    return chunk;
  }

  get #first(): number {
    return this.#end - this.#events.length;
  }
}

export class EventLogs {
  readonly owner: EventLog;
  readonly strangers: EventLog;

  /** @param makeName Returns a new unique name of a log: sixteen hexadecimal digits. */
  constructor(makeName: () => string) {
    this.owner = new EventLog(makeName());
    this.strangers = new EventLog(makeName());
  }

  append(event: LiveEvent, audience: Audience): void {
    if (audience !== "strangers") this.owner.append(event);
    if (audience !== "owner") this.strangers.append(event);
  }
}

/**
 * Returns the event that tells a reader to load everything again. The reader can later continue after the
 * event with the given id.
 */
export function resetBlock(id: string): string {
  return `id: ${id}\nevent: reset\ndata: {"type":"reset"}\n\n`;
}

function isFor({ type, rid }: LoggedEvent, interest: Interest): boolean {
  if (type === "reset" && rid === undefined) return true;
  if (interest.rid !== undefined && rid !== interest.rid) return false;
  return type === "reset" || interest.types === undefined || interest.types.includes(type);
}
