/**
 * The life of a session (specification, 3.3, 5). Anyone can open a session. A signature authorizes the
 * session, which is possible only once. An authorized session allows changes until the session expires. The
 * bearer of a session can delete the session.
 */
import { ForbiddenError, NotFoundError, UnauthorizedError, UnavailableError } from "../errors.ts";
import type { Session, SessionTable } from "../ports/session_table.ts";
import { isSameSecret } from "../text/digest.ts";
import { type Sender, shareOf, WaitingSignIns } from "./memory_table.ts";

/** Time for which a session waits for its signature (specification, 4.8), in milliseconds. */
export const UNAUTHORIZED_LIFETIME_MS = 60 * 1000;
/** Lifetime of an authorized session, in milliseconds: one week, as in `radicle-httpd`. */
export const AUTHORIZED_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

export interface Authorization {
  readonly mayChange: boolean;
  /** Time at which the session expires, if this time is before the end of {@link AUTHORIZED_LIFETIME_MS}. */
  readonly untilMs?: number;
  /** The signed message. Only sessions of wallets have a message. */
  readonly message?: string;
}

export class Sessions {
  readonly #table: SessionTable;
  readonly #now: () => number;
  readonly #waiting = new WaitingSignIns();

  /** @param now Returns milliseconds since the epoch. */
  constructor(table: SessionTable, now: () => number) {
    this.#table = table;
    this.#now = now;
  }

  /**
   * Opens an unauthorized session.
   *
   * @throws {UnavailableError} when too many sign-ins of this sender, or of all senders, are pending.
   */
  async open(secrets: { readonly id: string; readonly nonce?: string }, sender: Sender): Promise<Session> {
    const issuedAtMs = this.#now();
    const expiresAtMs = issuedAtMs + UNAUTHORIZED_LIFETIME_MS;
    if (!this.#waiting.begin(secrets.id, sender, issuedAtMs, expiresAtMs)) throw tooManySignIns();
    const session: Session = {
      ...secrets,
      status: "unauthorized",
      issuedAtMs,
      expiresAtMs,
      mayChange: false,
    };
    if (!await this.#add(session, sender)) throw tooManySignIns();
    return session;
  }

  async #add(session: Session, sender: Sender): Promise<boolean> {
    let isAdded = false;
    try {
      isAdded = await this.#table.add(session, shareOf(sender));
    } finally {
      if (!isAdded) this.#waiting.end(session.id);
    }
    return isAdded;
  }

  /** Stops counting the sign-ins that wait for a signature. */
  close(): void {
    this.#waiting.clear();
  }

  /**
   * Finds a session by its id, even if the session has expired.
   *
   * @throws {NotFoundError} when there is no such session.
   */
  async find(id: string): Promise<Session> {
    const session = await this.#table.find(id);
    if (session === undefined) throw new NotFoundError("Session was not found");
    return session;
  }

  /**
   * Checks that a session has not expired.
   *
   * @throws {UnauthorizedError} when the session has expired.
   */
  requireUnexpired(session: Session): void {
    if (session.expiresAtMs <= this.#now()) throw new UnauthorizedError("Session expired");
  }

  /**
   * Authorizes an unauthorized session. The id and the opening time of the session do not change.
   *
   * @throws {UnauthorizedError} when another request has authorized the session first.
   */
  async authorize(
    session: Session,
    { untilMs = Infinity, ...authorization }: Authorization,
  ): Promise<Session> {
    const expiresAtMs = Math.min(this.#now() + AUTHORIZED_LIFETIME_MS, untilMs);
    const authorized: Session = { ...session, ...authorization, status: "authorized", expiresAtMs };
    if (!await this.#table.authorize(authorized)) throw alreadyAuthorized();
    this.#waiting.end(session.id);
    return authorized;
  }

  /**
   * Deletes a session on request of its bearer, whatever its status is.
   *
   * @throws {UnauthorizedError} when the token is not the id of the session.
   * @throws {NotFoundError} when there is no such session.
   */
  async remove(id: string, token: string): Promise<void> {
    if (!isSameSecret(id, token)) throw new UnauthorizedError("Not authorized to delete this session");
    if (!await this.#table.remove(id)) throw new NotFoundError("Session was not found");
    this.#waiting.end(id);
  }

  /**
   * Finds the session of a bearer token for a change. The session must be authorized and not expired.
   *
   * @throws {UnauthorizedError} for any other token.
   * @throws {ForbiddenError} when the bearer may not change anything here.
   */
  async requireChange(token: string): Promise<Session> {
    const session = await this.#table.find(token);
    if (session?.status !== "authorized" || session.expiresAtMs <= this.#now()) {
      throw new UnauthorizedError("Unauthorized");
    }
    if (!session.mayChange) throw new ForbiddenError("This session may not change anything");
    return session;
  }
}

/**
 * Checks that a session is not yet authorized.
 *
 * @throws {UnauthorizedError} when the session is already authorized, even if it has expired meanwhile.
 */
export function requireUnauthorized(session: Session): void {
  if (session.status === "authorized") throw alreadyAuthorized();
}

function tooManySignIns(): UnavailableError {
  return new UnavailableError("Too many sign-ins wait for a signature", {
    retryAfterSeconds: UNAUTHORIZED_LIFETIME_MS / 1000,
  });
}

function alreadyAuthorized(): UnauthorizedError {
  return new UnauthorizedError("Session already authorized");
}
