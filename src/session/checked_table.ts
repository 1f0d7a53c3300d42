/**
 * A table of sessions whose results are checked, because a host may provide any table, and other programs may
 * write to the store of the table. A result that cannot be a session of this service counts as a missing
 * session.
 */
import * as v from "valibot";
import { startSystemTimer, type StartTimer, within } from "../async/timer.ts";
import { UnavailableError } from "../errors.ts";
import type { Environment } from "../ports/environment.ts";
import type { Session, SessionTable, SignInShare } from "../ports/session_table.ts";
import type { Awaitable } from "../ports/storage.ts";
import { AUTHORIZED_LIFETIME_MS, UNAUTHORIZED_LIFETIME_MS } from "./sessions.ts";
import { isMessageWithNonce, MAX_MESSAGE_LENGTH } from "./sign_in_message.ts";
import { storeAway, TableState } from "./stored_session.ts";

/**
 * Timeout for a call to a table, in milliseconds. After the timeout, the request gets status 503. Tables in
 * files and stores have shorter timeouts.
 */
export const TABLE_TIMEOUT_MS = 5_000;
/** Maximum difference between the clocks of processes that share a table, in milliseconds. */
export const MAX_CLOCK_DIFFERENCE_MS = 60_000;

const TimeMs = v.pipe(v.number(), v.finite());

const SessionSchema = v.object({
  id: v.string(),
  status: v.picklist(["unauthorized", "authorized"]),
  issuedAtMs: TimeMs,
  expiresAtMs: TimeMs,
  mayChange: v.boolean(),
  nonce: v.optional(v.pipe(v.string(), v.regex(/^[0-9A-Za-z]{1,64}$/))),
  message: v.optional(v.pipe(v.string(), v.maxLength(MAX_MESSAGE_LENGTH))),
});

export interface CheckedTableOptions {
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Environment["log"];
  /** Starts a timer. By default a timer of the runtime is used. */
  readonly startTimer?: StartTimer;
}

/**
 * Calls a table and checks the results. A call fails with the error of {@link storeAway} when the table
 * throws, returns a value that {@link SessionTable} does not allow, or takes longer than
 * {@link TABLE_TIMEOUT_MS}.
 */
export class CheckedTable implements SessionTable {
  readonly #table: SessionTable;
  readonly #options: CheckedTableOptions;
  readonly #state: TableState;
  /** Whether the service has already logged that the table contains a value that is not a session. */
  #hasWarned = false;

  constructor(table: SessionTable, options: CheckedTableOptions) {
    this.#table = table;
    this.#options = options;
    this.#state = new TableState("table of sessions", options.log);
  }

  add(session: Session, share?: SignInShare): Promise<boolean> {
    return this.#call((table) => table.add(session, share), isBoolean);
  }

  find(id: string): Promise<Session | undefined> {
    return this.#call((table) => table.find(id), (answer) => this.#check(id, answer));
  }

  authorize(session: Session): Promise<boolean> {
    return this.#call((table) => table.authorize(session), isBoolean);
  }

  /**
   * Removes a session. Returns `true` only if {@link find} finds the session, because the table may contain
   * values that are not sessions.
   */
  async remove(id: string): Promise<boolean> {
    const session = await this.find(id);
    const isRemoved = await this.#call((table) => table.remove(id), isBoolean);
    return isRemoved && session !== undefined;
  }

  async #call<T>(
    step: (table: SessionTable) => Awaitable<unknown>,
    check: (answer: unknown) => T,
  ): Promise<T> {
    try {
      const answer = step(this.#table);
      const checked = check(
        isThenable(answer)
          ? await within(answer, TABLE_TIMEOUT_MS, this.#options.startTimer ?? startSystemTimer)
          : answer,
      );
      this.#state.back();
      return checked;
    } catch (error) {
      // A table that throws this error has already logged the reason.
      if (error instanceof UnavailableError) throw error;
      this.#state.away(error);
      throw storeAway();
    }
  }

  #check(id: string, answer: unknown): Session | undefined {
    if (answer === undefined || answer === null) return undefined;
    const { success, output } = v.safeParse(SessionSchema, answer, { abortEarly: true });
    if (success && isPossible(output, id, this.#options.now())) return output;
    if (!this.#hasWarned) {
      this.#options.log(
        "warn",
        "The table of sessions has an entry that is not a session of this service",
      );
    }
    this.#hasWarned = true;
    return undefined;
  }
}

/** Checks whether a service like this one can have stored a session under this id. */
function isPossible(session: Session, id: string, nowMs: number): boolean {
  const { status, issuedAtMs, expiresAtMs, mayChange, nonce, message } = session;
  const isAuthorized = status === "authorized";
  const lifetimeMs = UNAUTHORIZED_LIFETIME_MS + (isAuthorized ? AUTHORIZED_LIFETIME_MS : 0);
  return session.id === id &&
    issuedAtMs <= nowMs + MAX_CLOCK_DIFFERENCE_MS &&
    issuedAtMs <= expiresAtMs && expiresAtMs <= issuedAtMs + lifetimeMs + MAX_CLOCK_DIFFERENCE_MS &&
    (isAuthorized || !mayChange) &&
    // The session of a wallet is authorized by a message that contains the nonce. Other sessions have no
    // message.
    (isAuthorized && nonce !== undefined
      ? message !== undefined && isMessageWithNonce(message, nonce)
      : message === undefined);
}

function isBoolean(answer: unknown): boolean {
  if (typeof answer !== "boolean") throw new TypeError("expected true or false");
  return answer;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}
