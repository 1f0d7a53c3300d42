/** Recognizes the client that a host passes beside a request. Anything not exactly recognized is a stranger. */
import type { Client } from "../ports/client.ts";

/**
 * Stands for the node's owner. A host with a sign-in of its own passes it with the requests that it has checked, cross-site requests included:
 * addresses, `Host`, `Origin` and proxies are not looked at then.
 *
 * @example
 * ```ts
 * const response = await api.fetch(request, isSignedIn(request) ? NODE_OWNER : undefined);
 * ```
 */
export const NODE_OWNER: Client = Object.freeze({ transport: "owner" });

/**
 * The client that a value stands for: {@link NODE_OWNER} itself, or an object with exactly the members of a TCP or Unix client.
 *
 * Frameworks and runtimes pass other things in the same place: an environment, an execution context, information on the connection. None of them may
 * turn a stranger into the owner, and none is an error: the answer is `undefined`, an unknown client.
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
    // A value whose members cannot be read is not a client.
  }
  return undefined;
}
