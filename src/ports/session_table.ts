/**
 * Where sessions are kept (3.3). Calls may take their time, so that several processes can share one table; a session is plain data, which survives
 * JSON. A table must be bounded: anyone may open sessions.
 */
import type { Awaitable } from "./storage.ts";

/** How far a session has come. */
export type SessionStatus = "unauthorized" | "authorized";

/** A session as it is kept. */
export interface Session {
  /** The bearer token: secret, and unique in its table. */
  readonly id: string;
  readonly status: SessionStatus;
  /** Milliseconds since the epoch, as are all times here. */
  readonly issuedAtMs: number;
  /** From this moment on the session is good for nothing but to be looked at and deleted. */
  readonly expiresAtMs: number;
  /** Whether its bearer may change anything; never while it is unauthorized. */
  readonly mayChange: boolean;
  /** What a wallet has to sign; only sessions of that kind have it (4.8, alternate sign-in). */
  readonly nonce?: string;
  /** The message that a wallet signed. */
  readonly message?: string;
}

/** A set of sessions. */
export interface SessionTable {
  /**
   * Adds an unauthorized session. To make room, expired ones may go. Never does one that can still be authorized: `false`, and no change, when the
   * table is full of those.
   */
  add(session: Session): Awaitable<boolean>;
  /** The session of an id; expired ones may still be there. */
  find(id: string): Awaitable<Session | undefined>;
  /**
   * Puts an authorized session in the place of the unauthorized one of the same id, in one step; `false`, and no change, when there is none:
   * it was deleted or authorized meanwhile.
   */
  authorize(session: Session): Awaitable<boolean>;
  /** Removes a session; `false` when there was none. */
  remove(id: string): Awaitable<boolean>;
}
