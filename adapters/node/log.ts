/** The log of a service that runs by itself, through `node:process`. */
import process from "node:process";
import type { Environment } from "../../mod.ts";
import { formatLine } from "../home/log.ts";

/** Writes one line for each event to standard error: time, level, message and cause. */
export const log: Environment["log"] = (level, message, cause) => {
  process.stderr.write(formatLine(level, message, cause, new Date()));
};
