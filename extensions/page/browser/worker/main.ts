/** The part of every worker that reports when all parts have run, and then answers one call after another. */
import { scope } from "./scope.ts";

globalThis.onmessage = (
  { data: [name, ...args] }: MessageEvent<readonly [name: string, ...args: never[]]>,
) => {
  let result: unknown;
  try {
    result = scope.calls[name]!(...args);
  } catch {
    // A parser cannot take this text, for example because it is nested too deeply. It is shown as it is.
  }
  postMessage(result);
};
queueMicrotask(() => postMessage("ready"));
