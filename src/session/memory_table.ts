/** Sessions in memory: those of one process, lost on restart, as on the real service. Anyone may open sessions, so their number is bounded. */
import type { Session, SessionTable } from "../ports/session_table.ts";

/** Most unauthorized sessions. One more, and the oldest goes, provided that it has expired. */
export const MAX_UNAUTHORIZED_SESSIONS = 10_000;
/** Most authorized sessions. One more, and the oldest of those that may not change anything goes, or else the oldest. */
export const MAX_AUTHORIZED_SESSIONS = 1_000;
/** How long an expired session stays, so that its owner is told that it expired. */
export const KEPT_AFTER_EXPIRY_MS = 60 * 60 * 1000;

/** A table in memory; `now` gives milliseconds since the epoch. */
export function createMemoryTable(now: () => number): SessionTable {
  return new MemoryTable(now);
}

class MemoryTable implements SessionTable {
  /** Both in the order in which they came. */
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
    return session.expiresAtMs + KEPT_AFTER_EXPIRY_MS <= this.#now();
  }
}

/** Drops the session that is missed least. */
function drop(sessions: Map<string, Session>): void {
  for (const session of sessions.values()) {
    if (!session.mayChange) return void sessions.delete(session.id);
  }
  for (const id of sessions.keys()) return void sessions.delete(id);
}
