/**
 * The store of sessions (specification, 3.3). Calls may be asynchronous, so that several processes can share
 * a table. A session is plain data that can be stored as JSON. A table must have a maximum size, because
 * anyone may open sessions.
 *
 * The service checks everything that a table returns. A session is accepted only if the service can have
 * stored it under the requested id. A table counts as unavailable if it throws, does not respond within five
 * seconds, or returns something that is not described here. The request then gets status 503, and the error
 * is logged, unless it is an `UnavailableError`.
 */
import type { Awaitable } from "./storage.ts";

/** State of a session. */
export type SessionStatus = "unauthorized" | "authorized";

/** A stored session. */
export interface Session {
  /** The bearer token, which is secret, and unique in its table. */
  readonly id: string;
  readonly status: SessionStatus;
  /** Time at which the session was opened, in milliseconds since the epoch. */
  readonly issuedAtMs: number;
  /**
   * Time at which the session expires, in milliseconds since the epoch. After this time, the session can only
   * be read and deleted.
   */
  readonly expiresAtMs: number;
  /** Whether the bearer may change anything; `false` while the session is unauthorized. */
  readonly mayChange: boolean;
  /**
   * The nonce that a wallet must sign. Only sessions for sign-in with a wallet (specification, 4.8, alternate
   * sign-in) have a nonce.
   */
  readonly nonce?: string | undefined;
  /** The message that a wallet signed. */
  readonly message?: string | undefined;
}

/**
 * Maximum numbers of pending sign-ins. A table that several processes share counts the sign-ins of all
 * processes.
 */
export interface SignInShare {
  /** Name of the class of senders to which the sender belongs. */
  readonly kind: string;
  /** Maximum number of pending sign-ins of all senders of the class. */
  readonly maxOfKind: number;
  /** Key of the sender. Each client has one key for each class. */
  readonly sender: string;
  /** Maximum number of pending sign-ins of the sender. */
  readonly maxOfSender: number;
}

/** The sessions of a service. */
export interface SessionTable {
  /**
   * Adds an unauthorized session. May remove expired sessions to free memory.
   *
   * @param share Limits of the pending sign-ins of all processes. The service has already counted the pending
   *   sign-ins of its own process.
   * @returns `false`, without a change, when the table is full of sessions that can still be authorized, or a
   *   limit in `share` is reached.
   */
  add(session: Session, share?: SignInShare): Awaitable<boolean>;
  /** Finds a session by its id. An expired session may still be returned. */
  find(id: string): Awaitable<Session | undefined>;
  /**
   * Replaces the unauthorized session that has the same id, atomically.
   *
   * @returns `false`, without a change, when there is no such session, because it was deleted or authorized
   *   meanwhile.
   */
  authorize(session: Session): Awaitable<boolean>;
  /** Removes a session. Returns `false` when there was no session with this id. */
  remove(id: string): Awaitable<boolean>;
}
