/**
 * The part that every worker contains. It sends a message when all parts have run, and then runs one call
 * after another.
 */
import { scope } from "./scope.ts";

globalThis.onmessage = (
  { data: [name, ...args] }: MessageEvent<readonly [name: string, ...args: never[]]>,
) => {
  let result: unknown;
  try {
    result = scope.calls[name]!(...args);
  } catch {
    // The parser cannot process this text. The page then shows the text as it is.
  }
  postMessage(result);
};
queueMicrotask(() => postMessage("ready"));
