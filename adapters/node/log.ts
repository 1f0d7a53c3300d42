/** The log of a service that runs by itself, through `node:process`. */
import process from "node:process";
import type { Environment } from "../../mod.ts";
import { formatLine, limitLines } from "../home/log.ts";

/** Writes a line for each event to standard error: time, level, message and cause; ten of a kind a second. */
export const log: Environment["log"] = limitLines((level, message, cause) => {
  process.stderr.write(formatLine(level, message, cause, new Date()));
});
