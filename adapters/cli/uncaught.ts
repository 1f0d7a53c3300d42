/**
 * Errors that nothing has caught, in the process of a service. A promise that is rejected without a handler
 * leaves the rest of the process as it is: the service goes on. After an exception nobody knows what was left
 * half done: the service ends, and whatever supervises it starts it again.
 */
import process from "node:process";
import type { Environment } from "../../mod.ts";
import { CLOSE_MS, CUT_MS } from "../server/server.ts";

/** A service that can be closed. */
interface Closable {
  close(): Promise<void>;
}

/** Time in which the service closes after an exception, in milliseconds; then the process ends anyway. */
export const END_MS: number = 2 * (CLOSE_MS + CUT_MS);

/** Starts of the lines in the log. */
export const UNHANDLED_REJECTION = "Unhandled rejection";
export const UNCAUGHT_EXCEPTION = "Uncaught exception";

/**
 * From now on, rejections without a handler are logged and counted. After an exception the service accepts no
 * more connections, lets running requests finish, and the process ends with status 1.
 */
export function watchUncaught(log: Environment["log"], serving: Promise<Closable>): void {
  let rejections = 0;
  let isEnding = false;
  process.on("unhandledRejection", (cause) => {
    log("error", `${UNHANDLED_REJECTION}, number ${++rejections} since the start`, cause);
  });
  process.on("uncaughtException", (error) => {
    log("error", `${UNCAUGHT_EXCEPTION}, the service ends`, error);
    if (isEnding) return;
    isEnding = true;
    process.exitCode = 1;
    const end = () => process.exit();
    setTimeout(end, END_MS);
    void serving.then((server) => server.close()).then(end, end);
  });
}
