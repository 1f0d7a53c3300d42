/** A log for lasting faults, such as an unreachable bucket: the same line appears once in a while. */
import type { Environment } from "../../../src/mod.ts";

/** Time after which a line is logged again, in milliseconds. */
const REPEAT_MS = 60_000;
/** Different lines in that time; further ones are left out. */
export const MAX_LINES = 32;

/**
 * A log that leaves out repeated lines.
 *
 * @param now A monotonic clock in milliseconds.
 */
export function logRarely(log: Environment["log"], now: () => number): Environment["log"] {
  const logged = new Set<string>();
  let sinceMs = -Infinity;
  return (level, message, cause) => {
    if (now() - sinceMs >= REPEAT_MS) {
      sinceMs = now();
      logged.clear();
    }
    const line = cause instanceof Error ? `${message}: ${cause.message}` : message;
    if (logged.has(line) || logged.size >= MAX_LINES) return;
    logged.add(line);
    log(level, message, cause);
  };
}
