/** The shape of a server, and its end, on every runtime. */
import type { Environment } from "../../mod.ts";
import { within } from "../../src/async/timer.ts";
import { type Address, formatAddress } from "./address.ts";
import type { Answers } from "./answers.ts";
import type { Connections } from "./connections.ts";
import type { Operator } from "./operator.ts";

/** Options by which a handler is put on a socket. */
export interface ServerOptions {
  readonly address: Address;
  /** Is told of errors that a handler throws. */
  readonly log?: Environment["log"];
  /** Counts the connections of all servers that share it; by default the server has limits of its own. */
  readonly connections?: Connections;
  /** Counts large answers of all servers that share it; by default the server has a bound of its own. */
  readonly answers?: Answers;
  /** Names requests, and is told of them. */
  readonly operator?: Operator | undefined;
  /** Replaces {@link CLOSE_MS}. */
  readonly closeMs?: number;
}

/** A listening socket. */
export interface Server {
  /** Address with the real port, when any port was asked for. */
  readonly address: Address;
  /** Whether it accepts connections; `undefined` where it cannot tell. */
  readonly isListening?: boolean | undefined;
  /**
   * Accepts no more connections, lets running requests finish, and ends within `closeMs` of the options and
   * {@link CUT_MS}.
   */
  close(): Promise<void>;
}

/** Why a socket cannot be opened, by the system's code; the system's own words tell any other reason. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the address is in use",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "not permitted",
  ENOTFOUND: "unknown host",
};

/**
 * A socket that cannot be opened, with the operating system's error as its cause; the message is one line for
 * the operator.
 */
export class ListenError extends Error {
  override readonly name = "ListenError";

  constructor(address: Address, cause: unknown) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
    super(`Cannot listen on ${formatAddress(address)}: ${reason}`, { cause });
  }
}

/** Time that running requests have after `close`, in milliseconds; those without an answer then get a 503. */
export const CLOSE_MS = 1400;
/** Time that connections have after that, in milliseconds, before they are cut. */
export const CUT_MS = 200;

/**
 * Waits for a server that was told to end; `giveUp` and `cut` are called when their time has come. Never
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
