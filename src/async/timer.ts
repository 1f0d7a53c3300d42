/** The timer of the runtime, in a form for which a test can put its own. */

/** Calls a function once after some milliseconds; returns a function that cancels the call. */
export type StartTimer = (ms: number, call: () => void) => () => void;

/** The timer of the runtime. It keeps the process alive until it has run out or is canceled. */
export const startSystemTimer: StartTimer = (ms, call) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};
