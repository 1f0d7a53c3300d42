/** Timers that do not keep the process alive, where the runtime supports that. */

/** Calls `call` once after `ms` milliseconds. Returns a function that cancels the timer. */
export function startUnrefTimer(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer);
}
