/** The interface of a server on every runtime. */
import type { Environment } from "../../mod.ts";
import { within } from "../../src/async/timer.ts";
import { type Address, formatAddress } from "./address.ts";
import type { Answers } from "./answers.ts";
import type { Connections } from "./connections.ts";
import type { Operator } from "./operator.ts";

export interface ServerOptions {
  readonly address: Address;
  /** Logs errors that a handler throws. */
  readonly log?: Environment["log"];
  /**
   * Limits the connections of all servers that share this object. By default, the server has separate limits.
   */
  readonly connections?: Connections;
  /**
   * Limits the large responses of all servers that share this object. By default, the server has a separate
   * limit.
   */
  readonly answers?: Answers;
  /** Gives ids to requests, and is called at the start and at the end of each request. */
  readonly operator?: Operator | undefined;
  /** Replaces {@link CLOSE_MS}. */
  readonly closeMs?: number;
}

export interface Server {
  /** Address with the actual port. If port 0 was requested, the system has chosen the port. */
  readonly address: Address;
  /** Whether the server accepts connections; `undefined` if that is unknown. */
  readonly isListening?: boolean | undefined;
  /**
   * Stops accepting connections, and lets running requests finish. Ends at the latest after `closeMs` plus
   * {@link CUT_MS}.
   */
  close(): Promise<void>;
}

/**
 * Reasons why a socket cannot be opened, by error code. For other codes, the message of the system is used.
 */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the address is in use",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "not permitted",
  ENOTFOUND: "unknown host",
};

/**
 * A socket cannot be opened. The cause is the error of the operating system. The message is one line for the
 * operator.
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
 * Timeout for running requests after `close` is called, in milliseconds. After the timeout, requests without
 * a response get the status 503.
 */
export const CLOSE_MS = 1400;
/**
 * Timeout for connections in addition to {@link CLOSE_MS}, in milliseconds. After the timeout, the
 * connections are closed.
 */
export const CUT_MS = 200;

/**
 * Waits until a server is closed. If closing takes too long, calls `giveUp`, and later `cut`. Never rejects.
 */
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
