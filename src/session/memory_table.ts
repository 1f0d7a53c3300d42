/**
 * Stores sessions in memory. As in `radicle-httpd`, the sessions belong to one process and are lost on
 * restart. The number of sessions is limited, because anyone may open sessions.
 */
import type { Session, SessionTable, SignInShare } from "../ports/session_table.ts";
import { TOGETHER } from "../scheduling/limiter.ts";

/**
 * Maximum number of unauthorized sessions. When this number is reached, a new session replaces the oldest
 * session if it has expired, and is refused otherwise.
 */
export const MAX_UNAUTHORIZED_SESSIONS = 10_000;
/**
 * Maximum number of authorized sessions. When this number is reached, a new session replaces the oldest
 * session that may not change anything. If all sessions may change something, the oldest session is replaced.
 */
export const MAX_AUTHORIZED_SESSIONS = 1_000;
/**
 * Time for which an expired session is still found, in milliseconds. During this time, a request with the
 * session gets the error that the session has expired.
 */
export const EXPIRED_LIFETIME_MS = 60 * 60 * 1000;

/** Creates a table in memory. `now` returns milliseconds since the epoch. */
export function createMemoryTable(now: () => number): SessionTable {
  return new MemoryTable(now);
}

class MemoryTable implements SessionTable {
  readonly #unauthorized = new Map<string, Session>();
  readonly #authorized = new Map<string, Session>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(session: Session): boolean {
    for (const oldest of this.#unauthorized.values()) {
      const isFull = this.#unauthorized.size >= MAX_UNAUTHORIZED_SESSIONS;
      if (isFull && oldest.expiresAtMs > this.#now()) return false;
      if (!isFull && !this.#isOver(oldest)) break;
      this.#unauthorized.delete(oldest.id);
    }
    this.#unauthorized.set(session.id, session);
    return true;
  }

  find(id: string): Session | undefined {
    const session = this.#authorized.get(id) ?? this.#unauthorized.get(id);
    return session === undefined || this.#isOver(session) ? undefined : session;
  }

  authorize(session: Session): boolean {
    if (!this.#unauthorized.delete(session.id)) return false;
    this.#purge(this.#authorized);
    while (this.#authorized.size >= MAX_AUTHORIZED_SESSIONS) drop(this.#authorized);
    this.#authorized.set(session.id, session);
    return true;
  }

  remove(id: string): boolean {
    return this.#authorized.delete(id) || this.#unauthorized.delete(id);
  }

  #purge(sessions: Map<string, Session>): void {
    for (const session of sessions.values()) if (this.#isOver(session)) sessions.delete(session.id);
  }

  #isOver(session: Session): boolean {
    return session.expiresAtMs + EXPIRED_LIFETIME_MS <= this.#now();
  }
}

/** Removes the session that a new session replaces. See {@link MAX_AUTHORIZED_SESSIONS}. */
function drop(sessions: Map<string, Session>): void {
  for (const session of sessions.values()) {
    if (!session.mayChange) return void sessions.delete(session.id);
  }
  for (const id of sessions.keys()) return void sessions.delete(id);
}

/**
 * Class of a sender, which determines the limit of its pending sign-ins. `owner`: the owner on this machine.
 * `key`: senders that have proven that they have the node's key. `other`: programs and trusted pages.
 * `foreignPage`: pages of foreign sites.
 */
export type SenderKind = "owner" | "key" | "other" | "foreignPage";

/** The sender of a request that opens a session. */
export interface Sender {
  readonly kind: SenderKind;
  /** Key that identifies the client for limits. */
  readonly client: string;
}

/** Maximum number of pending sign-ins by class of sender. No class can use the limit of another class. */
export const MAX_WAITING: Readonly<Record<SenderKind, number>> = {
  owner: 900,
  key: 100,
  other: 5000,
  foreignPage: 4000,
};
/**
 * Maximum number of pending sign-ins from one client in each class. Classes are counted separately, so that a
 * page of a foreign site in a client's browser cannot use up the sign-ins of the client's other programs.
 */
export const MAX_WAITING_OF_CLIENT = 100;
/** Maximum number of pending sign-ins, in each class, from all clients that cannot be distinguished. */
export const MAX_WAITING_TOGETHER = 1000;

/** Returns the limits for the sign-ins of a sender, for tables that several processes share. */
export function shareOf(sender: Sender): SignInShare {
  const { kind } = sender;
  return {
    kind,
    maxOfKind: MAX_WAITING[kind],
    sender: `${kind} ${sender.client}`,
    maxOfSender: maxOf(sender),
  };
}

function maxOf({ kind, client }: Sender): number {
  if (kind === "owner" || kind === "key") return MAX_WAITING[kind];
  return client === TOGETHER ? MAX_WAITING_TOGETHER : MAX_WAITING_OF_CLIENT;
}

interface Waiting {
  readonly kind: string;
  readonly sender: string;
  readonly untilMs: number;
}

/** Counts the sign-ins that wait for a signature. */
export class WaitingSignIns {
  /** Pending sign-ins by session id, in the order of insertion, in which they also expire. */
  readonly #waiting = new Map<string, Waiting>();
  /** Counts of pending sign-ins, by class and by sender. */
  readonly #counts = new Map<string, number>();

  /**
   * Adds a sign-in that waits until `untilMs`. Returns `false`, without any change, when a limit of its
   * sender is reached.
   */
  begin(id: string, from: Sender, nowMs: number, untilMs: number): boolean {
    this.#endExpired(nowMs);
    const { kind, maxOfKind, sender, maxOfSender } = shareOf(from);
    if (this.#count(kind) >= maxOfKind || this.#count(sender) >= maxOfSender) return false;
    this.#waiting.set(id, { kind, sender, untilMs });
    this.#add(kind, 1);
    this.#add(sender, 1);
    return true;
  }

  /** Removes a sign-in that has succeeded or was cancelled. */
  end(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    this.#add(waiting.kind, -1);
    this.#add(waiting.sender, -1);
  }

  clear(): void {
    this.#waiting.clear();
    this.#counts.clear();
  }

  #endExpired(nowMs: number): void {
    for (const [id, { untilMs }] of this.#waiting) {
      if (untilMs > nowMs) return;
      this.end(id);
    }
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #add(name: string, difference: number): void {
    const count = this.#count(name) + difference;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
