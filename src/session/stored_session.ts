/**
 * The format of sessions in a store outside of the process. A session is stored under a digest of its id. The
 * id itself, which is the bearer token, is never stored, so that someone who reads the store cannot use the
 * sessions.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { UnavailableError } from "../errors.ts";
import type { Environment } from "../ports/environment.ts";
import type { Session, SessionTable } from "../ports/session_table.ts";
import { MAX_MESSAGE_LENGTH } from "./sign_in_message.ts";

/** `Retry-After` while a store of sessions cannot be reached, in seconds. */
const RETRY_SECONDS = 5;

/** A table that has an open file or connection. */
export interface OpenSessionTable extends SessionTable {
  /** Closes the file or the connection. The sessions are not deleted. */
  close(): void;
}

export interface StoredTableOptions {
  /** Id of the node. Several nodes may share a store, but each node finds only its own sessions. */
  readonly scope: string;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Environment["log"];
}

/**
 * Returns the key under which a session, or the count of a sender's sign-ins, is stored. The key is the
 * SHA-256 of the node id and the text, as 64 hexadecimal digits.
 */
export function storedKey(scope: string, text: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${scope} ${text}`)));
}

/**
 * Maximum length of a stored session, in characters. A stored session has the message of a wallet, in which
 * each line feed becomes two characters, and some characters for the other members.
 */
export const MAX_STORED_LENGTH: number = 2 * MAX_MESSAGE_LENGTH + 1024;

/**
 * Encodes a session as JSON, without its id. The JSON contains a digest of the other members and of the key
 * under which the session is stored.
 */
export function toStored({ id: _, ...rest }: Session, key: string): string {
  return JSON.stringify({ ...rest, digest: storedKey(key, JSON.stringify(rest)) });
}

/**
 * Decodes a session that is stored under `key`. Returns `undefined` when the text was stored under another
 * key, was not created by {@link toStored}, or is damaged. The members are not checked here, because
 * `CheckedTable` checks them.
 *
 * @param text At most {@link MAX_STORED_LENGTH} characters.
 */
export function fromStored(id: string, key: string, text: unknown): Session | undefined {
  if (typeof text !== "string" || text.length > MAX_STORED_LENGTH) return undefined;
  try {
    const { digest, ...rest } = JSON.parse(text);
    return digest === storedKey(key, JSON.stringify(rest)) ? { ...rest, id } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the error for a store that cannot be reached. Without the store, nobody is signed in. */
export function storeAway(): UnavailableError {
  return new UnavailableError("Sessions are not available", { retryAfterSeconds: RETRY_SECONDS });
}

/** Maximum length of a reason in the log, in characters. */
const MAX_REASON_LENGTH = 200;

/**
 * Logs when a table becomes unusable, and when it becomes usable again. Requests that fail in between are not
 * logged.
 */
export class TableState {
  readonly #name: string;
  readonly #log: Environment["log"];
  #isAway = false;

  /** @param name Name of the table, without an article. */
  constructor(name: string, log: Environment["log"]) {
    this.#name = name;
    this.#log = log;
  }

  away(reason: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    const text = reason instanceof Error ? reason.message || reason.name : "it failed";
    this.#log("warn", `Cannot use the ${this.#name}: ${text.slice(0, MAX_REASON_LENGTH)}`);
  }

  back(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#log("info", `The ${this.#name} can be used again`);
  }
}
