/** How many file descriptors this process may have, as far as Deno's permissions let it ask: nobody is asked for more. */
import { descriptorLimit as limit, LIMITS_FILE, USUAL_LIMIT } from "../node/descriptors.ts";

/** Descriptors that this process may have at a time; {@link USUAL_LIMIT} when that cannot be told. */
export function descriptorLimit(): number {
  const { state } = Deno.permissions.querySync({ name: "read", path: LIMITS_FILE });
  return state === "granted" ? limit() : USUAL_LIMIT;
}
