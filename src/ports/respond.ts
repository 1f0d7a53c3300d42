/** How finished bytes become an answer. */

/**
 * The answer 200 with these bytes, which it must not change, and header fields. `new Response(bytes, { headers })` does; a server that can send
 * bytes without the detour of a stream has a quicker one.
 */
export type Respond = (
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
) => Response;
