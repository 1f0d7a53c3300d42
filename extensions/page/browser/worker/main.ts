/**
 * The part that every worker has: it says when all parts have been run, then answers one call after another.
 */
import { scope } from "./scope.ts";

globalThis.onmessage = (
  { data: [name, ...args] }: MessageEvent<readonly [name: string, ...args: never[]]>,
) => {
  let result: unknown;
  try {
    result = scope.calls[name]!(...args);
  } catch {
    // Text that a parser cannot take, such as one that is nested too deeply: it is shown as it is.
  }
  postMessage(result);
};
queueMicrotask(() => postMessage("ready"));
