/** The interface of a server on every runtime, and the way it ends. */
import type { Environment } from "../../mod.ts";
import { within } from "../../src/async/timer.ts";
import { type Address, formatAddress } from "./address.ts";
import type { Answers } from "./answers.ts";
import type { Connections } from "./connections.ts";
import type { Operator } from "./operator.ts";

/** Options of a server. */
export interface ServerOptions {
  readonly address: Address;
  /** Logs errors that a handler throws. */
  readonly log?: Environment["log"];
  /**
   * Counts the connections of all servers that share this object; by default the server has limits of its
   * own.
   */
  readonly connections?: Connections;
  /**
   * Counts the large answers of all servers that share this object; by default the server has a limit of its
   * own.
   */
  readonly answers?: Answers;
  /** Gives requests their ids, and is called at their start and end. */
  readonly operator?: Operator | undefined;
  /** Replaces {@link CLOSE_MS}. */
  readonly closeMs?: number;
}

/** A listening socket. */
export interface Server {
  /** Address with the real port, also when port 0 was given. */
  readonly address: Address;
  /** Whether the server accepts connections; `undefined` where that is unknown. */
  readonly isListening?: boolean | undefined;
  /**
   * Accepts no more connections, lets running requests finish, and ends after `closeMs` of the options plus
   * {@link CUT_MS} at the latest.
   */
  close(): Promise<void>;
}

/**
 * Reasons for which a socket cannot be opened, by code. Other codes are explained with the system's own text.
 */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the address is in use",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "not permitted",
  ENOTFOUND: "unknown host",
};

/**
 * The error when a socket cannot be opened. Its cause is the operating system's error; its message is one
 * line for the operator.
 */
export class ListenError extends Error {
  override readonly name = "ListenError";

  constructor(address: Address, cause: unknown) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
    super(`Cannot listen on ${formatAddress(address)}: ${reason}`, { cause });
  }
}

/**
 * Time for running requests after `close`, in milliseconds. Requests that have no answer by then get a 503.
 */
export const CLOSE_MS = 1400;
/** Time for connections after {@link CLOSE_MS}, in milliseconds, before they are closed. */
export const CUT_MS = 200;

/** Waits for a closing server. Calls `giveUp` and then `cut` if the server takes too long. Never rejects. */
export async function finish(
  closing: Promise<unknown>,
  giveUp: () => void,
  cut: () => void,
  closeMs: number = CLOSE_MS,
): Promise<void> {
  const isClosedIn = (ms: number) => within(closing.catch(() => {}), ms).then(() => true, () => false);
  if (await isClosedIn(closeMs)) return;
  giveUp();
  if (!await isClosedIn(CUT_MS)) cut();
}
