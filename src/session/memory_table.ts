/**
 * Sessions in memory: private to one process and lost on restart, as on the real service. Anyone may open
 * sessions, so their number is bounded.
 */
import type { Session, SessionTable } from "../ports/session_table.ts";

/**
 * Maximum number of unauthorized sessions. A further one replaces the oldest, provided that the oldest has
 * expired.
 */
export const MAX_UNAUTHORIZED_SESSIONS = 10_000;
/**
 * Maximum number of authorized sessions. A further one replaces the oldest session without permission to
 * change, or else the oldest.
 */
export const MAX_AUTHORIZED_SESSIONS = 1_000;
/** Time for which an expired session is still found, so that its bearer learns that it has expired. */
export const EXPIRED_LIFETIME_MS = 60 * 60 * 1000;

/** Creates a table in memory; `now` returns milliseconds since the epoch. */
export function createMemoryTable(now: () => number): SessionTable {
  return new MemoryTable(now);
}

class MemoryTable implements SessionTable {
  /** Unauthorized and authorized sessions, each in order of insertion. */
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

/** Removes the least valuable session. */
function drop(sessions: Map<string, Session>): void {
  for (const session of sessions.values()) {
    if (!session.mayChange) return void sessions.delete(session.id);
  }
  for (const id of sessions.keys()) return void sessions.delete(id);
}
