/**
 * Sessions as a store outside of the process has them: under a digest of their id, which is the bearer token
 * and stays out of the store. Whoever reads the store cannot act for anybody.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { UnavailableError } from "../errors.ts";
import type { Environment } from "../ports/environment.ts";
import type { Session, SessionTable } from "../ports/session_table.ts";
import { MAX_MESSAGE_LENGTH } from "./sign_in_message.ts";

/** `Retry-After` while a store of sessions is away, in seconds. */
const RETRY_SECONDS = 5;

/** A table with a handle or a connection. */
export interface OpenSessionTable extends SessionTable {
  /** Closes the handle or the connection; the sessions stay. */
  close(): void;
}

/** Options of a table outside of the process. */
export interface StoredTableOptions {
  /** Id of the node: sessions of one node are unknown to others that share the store. */
  readonly scope: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Environment["log"];
}

/** Key of a session, or of a sender of sign-ins, in a store: SHA-256 of node and text, 64 hex digits. */
export function storedKey(scope: string, text: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${scope} ${text}`)));
}

/**
 * Most characters of a stored session: twice those of its longest member, the message of a wallet, whose line
 * feeds become two characters each.
 */
export const MAX_STORED_LENGTH: number = 2 * MAX_MESSAGE_LENGTH + 1024;

/** A session without its id, but with a digest of it and of the key under which it is stored, as JSON. */
export function toStored({ id: _, ...rest }: Session, key: string): string {
  return JSON.stringify({ ...rest, digest: storedKey(key, JSON.stringify(rest)) });
}

/**
 * The session of an id from what is stored under its key; `undefined` when that was stored under another key,
 * not by {@link toStored}, or is damaged. The members are not checked: see `CheckedTable`.
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

/** The error while a store cannot be asked: nobody is signed in without it. */
export function storeAway(): UnavailableError {
  return new UnavailableError("Sessions are not available", { retryAfterSeconds: RETRY_SECONDS });
}

/** Most characters of a reason in the log. */
const MAX_REASON_LENGTH = 200;

/** Tells the log when a table cannot be used, and when it can be used again; not at each request. */
export class TableState {
  readonly #name: string;
  readonly #log: Environment["log"];
  #isAway = false;

  /** @param name Without article. */
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
