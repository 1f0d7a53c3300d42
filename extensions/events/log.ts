/**
 * The latest changes, in memory, as they are sent. Each event has an id, after which a reader can go on: the
 * name of the log and a number. The owner and strangers have a log each, with its own name, numbers and
 * limits: nothing that strangers get shows that something private has happened.
 */
import type { LiveEvent } from "./contract.ts";
import type { EventType } from "./request.ts";
import { joinBytes, type RepoId } from "../../src/mod.ts";

/** Most events in a log. */
export const MAX_EVENTS = 4096;
/** Most bytes of all events in a log. */
export const MAX_LOG_BYTES = 2 ** 21;
/** Most characters of the data of an event. A longer one becomes a `reset` of its repository. */
export const MAX_EVENT_LENGTH = 8192;
/** Bytes of events that are sent at once. The last event may exceed them. */
const CHUNK_BYTES = 8192;
/** Chunks that are made once for all readers at the same place. */
const MAX_SHARED_CHUNKS = 64;

/** Clients send ids of any form: what has another form or length is unknown. */
const EVENT_ID = /^([0-9a-f]{16})-(\d{1,15})$/;

/** Readers who get an event. */
export type Audience = "all" | "owner" | "strangers";

/** The events that a reader wants. */
export interface Interest {
  /** One repository; all by default. */
  readonly rid?: RepoId | undefined;
  /** All by default. */
  readonly types?: readonly EventType[] | undefined;
}

/** Events from a place of a log on. */
export interface Chunk {
  /** `undefined` when the reader wants none of these events. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** The place after them. */
  readonly next: number;
}

interface LoggedEvent {
  readonly type: EventType;
  /** `undefined` for events of the node or of all repositories. */
  readonly rid: RepoId | undefined;
  /** The event as it is sent; empty when it is hidden. */
  readonly block: Uint8Array;
}

const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

/** The log of one audience. */
export class EventLog {
  readonly #name: string;
  /** The oldest first. Their numbers follow each other, and end before {@link end}. */
  readonly #events: LoggedEvent[] = [];
  #bytes = 0;
  #end = 1;
  readonly #shared = new Map<string, Chunk>();

  /** @param name Sixteen hexadecimal digits that no other log has. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The number of the next event. */
  get end(): number {
    return this.#end;
  }

  /** The id of the last event. Before the first one, a reader can go on after this id, too. */
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

  /** Stops showing the events of a repository that were logged so far. */
  hide(rid: RepoId): void {
    for (const [i, event] of this.#events.entries()) {
      if (event.rid !== rid) continue;
      this.#bytes -= event.block.length;
      this.#events[i] = { ...event, block: NOTHING };
    }
    this.#shared.clear();
  }

  /** The place after the event with an id; `undefined` when the id is unknown, or later events are gone. */
  placeAfter(id: string): number | undefined {
    const [, name, digits] = EVENT_ID.exec(id) ?? [];
    const place = Number(digits) + 1;
    return name === this.#name && place >= this.#first && place <= this.#end ? place : undefined;
  }

  /** Some of the events from a place on. Do not change its bytes. `undefined` when events there are gone. */
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

  /** The number of the oldest event. */
  get #first(): number {
    return this.#end - this.#events.length;
  }
}

/** The logs of both audiences. */
export class EventLogs {
  readonly owner: EventLog;
  readonly strangers: EventLog;

  /** @param makeName Makes sixteen hexadecimal digits that no other log has. */
  constructor(makeName: () => string) {
    this.owner = new EventLog(makeName());
    this.strangers = new EventLog(makeName());
  }

  append(event: LiveEvent, audience: Audience): void {
    if (audience !== "strangers") this.owner.append(event);
    if (audience !== "owner") this.strangers.append(event);
  }
}

/** Asks a reader to read everything again. It goes on after the event with this id. */
export function resetBlock(id: string): string {
  return `id: ${id}\nevent: reset\ndata: {"type":"reset"}\n\n`;
}

function isFor({ type, rid }: LoggedEvent, interest: Interest): boolean {
  if (type === "reset" && rid === undefined) return true;
  if (interest.rid !== undefined && rid !== interest.rid) return false;
  return type === "reset" || interest.types === undefined || interest.types.includes(type);
}
