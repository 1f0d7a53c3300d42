/**
 * Sessions as a store outside of the process has them: under a digest of their id, which is the bearer token
 * and stays out of the store. Whoever reads the store cannot act for anybody.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { ApiError } from "../errors.ts";
import type { Session, SessionTable } from "../ports/session_table.ts";

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
  readonly log: (level: "warn" | "info", message: string) => void;
}

/** Key of a session, or of a sender of sign-ins, in a store: SHA-256 of node and text, 64 hex digits. */
export function storedKey(scope: string, text: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${scope} ${text}`)));
}

/** A session without its id, as JSON. */
export function toStored({ id: _, ...rest }: Session): string {
  return JSON.stringify(rest);
}

/** The session of an id. `text` is what {@link toStored} made. */
export function fromStored(id: string, text: string): Session {
  return { id, ...JSON.parse(text) };
}

/** The error while a store cannot be asked: nobody is signed in without it. */
export function storeAway(): ApiError {
  return new ApiError("unavailable", "Sessions are not available", { retryAfterSeconds: RETRY_SECONDS });
}
