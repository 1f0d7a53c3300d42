/** The interface of a server on every runtime, and a function that ends a server. */
import type { Environment } from "../../mod.ts";
import { within } from "../../src/async/timer.ts";
import { type Address, formatAddress } from "./address.ts";
import type { Answers } from "./answers.ts";
import type { Connections } from "./connections.ts";
import type { Operator } from "./operator.ts";

/** Configures a server. */
export interface ServerOptions {
  readonly address: Address;
  /** Logs errors that a handler throws. */
  readonly log?: Environment["log"];
  /**
   * Limits the connections of all servers that use this object. By default, the server has its own limits.
   */
  readonly connections?: Connections;
  /**
   * Limits the large responses of all servers that use this object. By default, the server has its own limit.
   */
  readonly answers?: Answers;
  /** Gives ids to requests, and is called at the start and at the end of each request. */
  readonly operator?: Operator | undefined;
  /** Replaces {@link CLOSE_MS}. */
  readonly closeMs?: number;
}

/** A server with an open socket. */
export interface Server {
  /**
   * Address of the server, with the port that is used. If port 0 was requested, it is the port that the
   * system has chosen.
   */
  readonly address: Address;
  /** Whether the server accepts connections; `undefined` if that is unknown. */
  readonly isListening?: boolean | undefined;
  /**
   * Stops accepting connections, and lets running requests finish. The method ends at the latest after
   * `closeMs` of the options plus {@link CUT_MS}.
   */
  close(): Promise<void>;
}

/**
 * Reasons why a socket cannot be opened, by error code. Other error codes are explained with the message of
 * the system.
 */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the address is in use",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "not permitted",
  ENOTFOUND: "unknown host",
};

/**
 * The error when a socket cannot be opened. Its cause is the error of the operating system. Its message is
 * one line for the operator.
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
 * Timeout for running requests after `close` is called, in milliseconds. When it is exceeded, requests
 * without a response get a 503.
 */
export const CLOSE_MS = 1400;
/**
 * Timeout for connections in addition to {@link CLOSE_MS}, in milliseconds. When it is exceeded, the
 * connections are closed.
 */
export const CUT_MS = 200;

/**
 * Waits until a server is closed. If closing takes too long, calls `giveUp`, and some time later `cut`. Never
 * rejects.
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
