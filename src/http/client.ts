/** Recognizes the client that a host passes with a request. Every other value counts as a stranger. */
import type { Client } from "../ports/client.ts";

/**
 * The node's owner, as a client. A host with its own sign-in passes it with requests that it has
 * authenticated. The API then ignores the peer's address, `Host`, `Origin` and proxies, so the host must
 * protect itself against cross-site requests.
 *
 * @example
 * ```ts
 * const response = await api.fetch(request, isSignedIn(request) ? NODE_OWNER : undefined);
 * ```
 */
export const NODE_OWNER: Client = Object.freeze({ transport: "owner" });

/**
 * Reads a value as a client: {@link NODE_OWNER} itself, or an object with exactly the members of a TCP or
 * Unix client.
 *
 * Frameworks and runtimes pass other values in the same argument: an environment, an execution context,
 * information on the connection. Such a value must not turn a stranger into the owner, and is no error.
 *
 * @returns `undefined` for any other value: an unknown client.
 */
export function recognizeClient(value: unknown): Client | undefined {
  if (value === NODE_OWNER) return NODE_OWNER;
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const { transport, address, ...others } = value as Record<string, unknown>;
    const names = Reflect.ownKeys(value);
    if (Reflect.ownKeys(others).length > 0) return undefined;
    if (transport === "unix" && names.length === 1) return { transport };
    if (transport === "tcp" && names.length === 2 && typeof address === "string") {
      return { transport, address };
    }
  } catch {
    // Reading a member threw, as in a revoked proxy: not a client.
  }
  return undefined;
}
