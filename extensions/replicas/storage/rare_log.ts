/**
 * A log for faults that last, such as an unreachable bucket. It leaves out a line that it has logged
 * recently.
 */
import type { Environment } from "../../../src/mod.ts";

/** Time after which the same line can be logged again, in milliseconds. */
const REPEAT_MS = 60_000;
/** Maximum number of different lines within {@link REPEAT_MS}. Further lines are left out. */
export const MAX_LINES = 32;

/**
 * Returns a log that leaves out repeated lines.
 *
 * @param now Returns the time of a monotonic clock in milliseconds.
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
