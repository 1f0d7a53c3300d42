/**
 * The store of sessions (3.3). Calls may be asynchronous, so that several processes can share a table. A
 * session is plain data that can be stored as JSON. A table must be bounded: anyone may open sessions.
 *
 * The service checks all answers. A found value counts as a session only if the service can have stored it
 * under that id: it must have these members, a possible status, and a lifetime that the service gives. If a
 * table throws, does not answer within five seconds, or answers with anything other than described here, it
 * counts as unavailable: the request gets 503. The error is logged, unless it is an `UnavailableError`.
 */
import type { Awaitable } from "./storage.ts";

/** State of a session. */
export type SessionStatus = "unauthorized" | "authorized";

/** A stored session. */
export interface Session {
  /** The bearer token: secret, and unique in its table. */
  readonly id: string;
  readonly status: SessionStatus;
  /** Milliseconds since the epoch, like all times here. */
  readonly issuedAtMs: number;
  /** Time at which the session expires. Afterwards it can only be read and deleted. */
  readonly expiresAtMs: number;
  /** Whether the bearer may change anything; `false` while the session is unauthorized. */
  readonly mayChange: boolean;
  /** The nonce that a wallet must sign. Only wallet sessions have one (4.8, alternate sign-in). */
  readonly nonce?: string | undefined;
  /** The message that a wallet signed. */
  readonly message?: string | undefined;
}

/** Limits that a waiting sign-in shares with others, in all processes that use the table. */
export interface SignInShare {
  /** Class of the sender. */
  readonly kind: string;
  /** Maximum number of waiting sign-ins of the class. */
  readonly maxOfKind: number;
  /** Key of the sender: one text for each client and class. */
  readonly sender: string;
  /** Maximum number of waiting sign-ins of the sender. */
  readonly maxOfSender: number;
}

/** The sessions of a service. */
export interface SessionTable {
  /**
   * Adds an unauthorized session. May remove expired sessions to make room.
   *
   * @param share A table that several processes share uses it to count their waiting sign-ins. The service
   *   has counted its own before.
   * @returns `false`, without a change, when the table is full of sessions that can still be authorized, or
   *   the share is used up.
   */
  add(session: Session, share?: SignInShare): Awaitable<boolean>;
  /** Finds a session by its id; expired sessions may still be found. */
  find(id: string): Awaitable<Session | undefined>;
  /**
   * Replaces the unauthorized session of the same id atomically.
   *
   * @returns `false`, without a change, when there is no such session: it was deleted or authorized
   *   meanwhile.
   */
  authorize(session: Session): Awaitable<boolean>;
  /** Removes a session; returns `false` when there was none. */
  remove(id: string): Awaitable<boolean>;
}
