/** Opens sessions that are stored outside of the process, in a file or in a Redis store. */
import { resolve } from "node:path";
import type { OpenSessionTable, StoredTableOptions } from "../../src/session/stored_session.ts";

/** Port of a store whose URL contains no port. */
export const DEFAULT_STORE_PORT = 6379;

/**
 * Checks whether a text is the URL of a store: `redis://`, `rediss://` for TLS, or `unix:` followed by the
 * absolute path of a socket.
 */
export function isStoreUrl(text: string): boolean {
  return /^(rediss?:\/\/|unix:\/)/i.test(text);
}

/**
 * Opens the sessions in a file or a store. Loads only the code for this kind of storage.
 *
 * @param place Path of a file, or URL of a store.
 * @throws {Error} when the file cannot be used, or the client for stores is not installed.
 */
export async function openSessions(place: string, options: StoredTableOptions): Promise<OpenSessionTable> {
  if (isStoreUrl(place)) {
    const { openSessionStore } = await import("./session_store.ts");
    return await openSessionStore(place, options);
  }
  const { openSessionFile } = await import("./session_file.ts");
  return await openSessionFile(resolve(place), options);
}
