/** The timer of the runtime, with a type that lets tests replace it. */

/** Calls a function once after some milliseconds. Returns a function that cancels the call. */
export type StartTimer = (ms: number, call: () => void) => () => void;

/** The timer of the runtime. It keeps the process alive until it fires or is canceled. */
export const startSystemTimer: StartTimer = (ms, call) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};

/**
 * Does the same as {@link startSystemTimer}, but the timer does not keep the process alive, if the runtime
 * supports such timers.
 */
export const startUnrefTimer: StartTimer = (ms, call) => {
  const timer = setTimeout(call, ms);
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer);
};

/** Returns the result of a promise. Rejects if the result is not available after `ms` milliseconds. */
export async function within<T>(
  result: PromiseLike<T>,
  ms: number,
  startTimer: StartTimer = startSystemTimer,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const stop = startTimer(ms, () => late.reject(new Error("no answer in time")));
  try {
    return await Promise.race([result, late.promise]);
  } finally {
    stop();
  }
}

/** Waits for some milliseconds, or until the signal is aborted. Never rejects. */
export function pauseFor(ms: number, signal?: AbortSignal, startTimer = startSystemTimer): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      stop();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const stop = startTimer(ms, end);
    signal?.addEventListener("abort", end);
  });
}
