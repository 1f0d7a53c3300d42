/**
 * The store of sessions (3.3). Calls may be asynchronous, so that several processes can share a table. A
 * session is plain data that survives JSON. A table must be bounded: anyone may open sessions.
 *
 * The service checks all answers. A found value counts as a session only if the service can have stored it
 * under that id: with these members, a possible status, and no longer lifetime than it gives. A table that
 * throws, does not answer within five seconds, or answers something else than is said here, is away: the
 * request is answered 503. The log then has a line, unless the error is an
 * `UnavailableError`.
 */
import type { Awaitable } from "./storage.ts";

/** State of a session. */
export type SessionStatus = "unauthorized" | "authorized";

/** A stored session. */
export interface Session {
  /** The bearer token: secret, and unique in its table. */
  readonly id: string;
  readonly status: SessionStatus;
  /** Milliseconds since the epoch, as are all times here. */
  readonly issuedAtMs: number;
  /** The session expires at this time; afterwards it can only be read and deleted. */
  readonly expiresAtMs: number;
  /** Whether the bearer may change anything; `false` while the session is unauthorized. */
  readonly mayChange: boolean;
  /** The nonce that a wallet has to sign; only wallet sessions have one (4.8, alternate sign-in). */
  readonly nonce?: string | undefined;
  /** The message that a wallet signed. */
  readonly message?: string | undefined;
}

/** The limits that a waiting sign-in shares with others, in all processes that share a table. */
export interface SignInShare {
  /** Class of the sender. */
  readonly kind: string;
  /** Maximum number of waiting sign-ins of the class. */
  readonly maxOfKind: number;
  /** The sender: one text for each client and class. */
  readonly sender: string;
  /** Maximum number of waiting sign-ins of the sender. */
  readonly maxOfSender: number;
}

/** The sessions of a service. */
export interface SessionTable {
  /**
   * Adds an unauthorized session. May remove expired sessions to make room.
   *
   * @param share A table that several processes share counts their waiting sign-ins by it; the service counts
   *   its own before.
   * @returns `false`, without a change, when the table is full of sessions that can still be authorized, or
   *   the share is used up.
   */
  add(session: Session, share?: SignInShare): Awaitable<boolean>;
  /** Finds a session by its id; expired sessions may still be found. */
  find(id: string): Awaitable<Session | undefined>;
  /**
   * Replaces the unauthorized session of the same id atomically.
   *
   * @returns `false`, without a change, when there is none: it was deleted or authorized meanwhile.
   */
  authorize(session: Session): Awaitable<boolean>;
  /** Removes a session; returns `false` when there was none. */
  remove(id: string): Awaitable<boolean>;
}
