/** Ids of requests, by which answers of status 500 and above are found in a log. */
import { REQUEST_ID_FIELD } from "../server/handler.ts";
import { type RequestHead, valuesOf } from "../server/operator.ts";

/** Form of an id that a proxy may set. */
const ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * The id of a request: that of its head, if a proxy is to be believed and has set it once, else a new one.
 *
 * @param isBehindProxy Whether the sender is a proxy of the operator.
 */
export function requestIdOf(head: RequestHead | undefined, isBehindProxy: boolean): string {
  const [given = "", ...others] = isBehindProxy && head !== undefined ? valuesOf(head, REQUEST_ID_FIELD) : [];
  return others.length === 0 && ID.test(given) ? given : crypto.randomUUID();
}
