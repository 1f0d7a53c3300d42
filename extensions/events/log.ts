/**
 * Logs the latest changes in memory, in the format in which they are sent. Each event has an id, which
 * consists of the name of the log and a number. A reader can continue after the event with a given id. There
 * is one log for the owner and one log for all other clients. Each log has its own name, numbers and limits.
 * Therefore the events that other clients get do not show that something private has happened.
 */
import type { LiveEvent } from "./contract.ts";
import type { EventType } from "./request.ts";
import { joinBytes, type RepoId } from "../../src/mod.ts";

/** Maximum number of events in a log. */
export const MAX_EVENTS = 4096;
/** Maximum total size of the events in a log, in bytes. */
export const MAX_LOG_BYTES = 2 ** 21;
/**
 * Maximum length of the data of an event, in characters. A longer event is replaced by a `reset` of its
 * repository.
 */
export const MAX_EVENT_LENGTH = 8192;
/**
 * Maximum size of the events that are sent at once, in bytes. The last of these events may exceed the
 * maximum.
 */
const CHUNK_BYTES = 8192;
/** Maximum number of chunks that are made once for all readers at the same position. */
const MAX_SHARED_CHUNKS = 64;

/**
 * Pattern of an event id. Clients may send any text as an id. A text that does not match is treated as an
 * unknown id.
 */
const EVENT_ID = /^([0-9a-f]{16})-(\d{1,15})$/;

/** The readers who get an event. */
export type Audience = "all" | "owner" | "strangers";

/** Describes the events that a reader requests. */
export interface Interest {
  /** Repository whose events are requested; by default the events of all repositories. */
  readonly rid?: RepoId | undefined;
  /** Types of events that are requested; by default all types. */
  readonly types?: readonly EventType[] | undefined;
}

/** Events of a log from one position to another. */
export interface Chunk {
  /** The events as they are sent; `undefined` when the reader has requested none of these events. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Position after these events. */
  readonly next: number;
}

interface LoggedEvent {
  readonly type: EventType;
  /** Repository of the event; `undefined` for events of the node or of all repositories. */
  readonly rid: RepoId | undefined;
  /** The event as it is sent; empty when the event is hidden. */
  readonly block: Uint8Array;
}

const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

/** A log. There is one log for the owner, and one log for all other clients. */
export class EventLog {
  readonly #name: string;
  /**
   * Events with the oldest event first. Their numbers are consecutive, and the last number is one less than
   * {@link end}.
   */
  readonly #events: LoggedEvent[] = [];
  #bytes = 0;
  #end = 1;
  readonly #shared = new Map<string, Chunk>();

  /** @param name Name of the log. It has sixteen hexadecimal digits, and no other log has the same name. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Number of the next event. */
  get end(): number {
    return this.#end;
  }

  /**
   * Id of the last event. Before the first event, it is the id before that event, so a reader can continue
   * after it as well.
   */
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

  /** Hides all events of a repository that are in the log now. Readers no longer get these events. */
  hide(rid: RepoId): void {
    for (const [i, event] of this.#events.entries()) {
      if (event.rid !== rid) continue;
      this.#bytes -= event.block.length;
      this.#events[i] = { ...event, block: NOTHING };
    }
    this.#shared.clear();
  }

  /**
   * Returns the position after the event with an id. Returns `undefined` when the id is unknown, or when the
   * log has dropped events after that event.
   */
  placeAfter(id: string): number | undefined {
    const [, name, digits] = EVENT_ID.exec(id) ?? [];
    const place = Number(digits) + 1;
    return name === this.#name && place >= this.#first && place <= this.#end ? place : undefined;
  }

  /**
   * Returns some of the events that begin at a position. The caller must not change the bytes of the events.
   * Returns `undefined` when the log has dropped events at this position.
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

  /** Number of the oldest event. */
  get #first(): number {
    return this.#end - this.#events.length;
  }
}

/** The logs for the owner and for other clients. */
export class EventLogs {
  readonly owner: EventLog;
  readonly strangers: EventLog;

  /**
   * @param makeName Makes the name of a log. It has sixteen hexadecimal digits, and no other log has the same
   *   name.
   */
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
 * Formats the event that tells a reader to load everything again. The reader continues after the event with
 * the given id.
 */
export function resetBlock(id: string): string {
  return `id: ${id}\nevent: reset\ndata: {"type":"reset"}\n\n`;
}

function isFor({ type, rid }: LoggedEvent, interest: Interest): boolean {
  if (type === "reset" && rid === undefined) return true;
  if (interest.rid !== undefined && rid !== interest.rid) return false;
  return type === "reset" || interest.types === undefined || interest.types.includes(type);
}
