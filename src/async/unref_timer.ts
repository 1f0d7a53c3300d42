/**
 * Timers that keep no process alive, where the runtime can help it: for what is done only as long as there is
 * something else to do.
 */

/** Calls `call` once, after `ms` milliseconds; the answer is how to prevent that. */
export function startUnrefTimer(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer);
}
