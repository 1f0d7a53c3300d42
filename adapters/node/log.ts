/** The default log of a service, through `node:process`. */
import process from "node:process";
import type { Environment } from "../../mod.ts";
import { formatLine, limitLines } from "../home/log.ts";

/**
 * Writes a line to standard error for each event, with time, level, message and cause. Writes at most ten
 * lines of one kind per second.
 */
export const log: Environment["log"] = limitLines((level, message, cause) => {
  process.stderr.write(formatLine(level, message, cause, new Date()));
});
