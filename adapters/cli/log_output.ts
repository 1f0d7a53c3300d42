/** The log of a service: messages on standard error, a line for each request on standard output. */
import { write } from "node:fs";
import process from "node:process";
import type { Environment, LogLevel } from "../../mod.ts";
import { limitLines } from "../home/log.ts";
import { log as textLog } from "../node/log.ts";
import { LineWriter } from "../operation/line_writer.ts";
import { formatLeftOut, formatMessage, type LogForm, logFrom } from "../operation/request_log.ts";

const STANDARD_OUTPUT = 1;
/** Pause before a full pipe is tried again, in milliseconds. */
const FULL_PIPE_MS = 20;
/** Longest wait for the last lines at the end of a service, in milliseconds. */
const LAST_LINES_MS = 500;

/** The log of messages, in a form and from a level on. */
export function messageLog(form: LogForm, level: LogLevel): Environment["log"] {
  const json = limitLines((level, message, cause) => {
    process.stderr.write(formatMessage(level, message, cause, new Date()));
  });
  return logFrom(level, form === "json" ? json : textLog);
}

/** Writes lines of requests to standard output, and never waits for its reader. */
export function requestOutput(form: LogForm): LineWriter {
  return new LineWriter(writeOut, (lines) => formatLeftOut(lines, form, new Date()));
}

/** Waits for the last lines, but not for a reader that takes none. */
export async function lastLines(output: LineWriter | undefined): Promise<void> {
  if (output === undefined) return;
  const timer = Promise.withResolvers<void>();
  const id = setTimeout(timer.resolve, LAST_LINES_MS);
  await Promise.race([output.flush(), timer.promise]);
  clearTimeout(id);
}

/** By the stream of the process, a write to a full pipe would stop the thread on Node.js. */
async function writeOut(text: string): Promise<void> {
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) {
    const written = await writeSome(rest);
    rest = rest.subarray(written);
    if (written === 0) await new Promise((resume) => setTimeout(resume, FULL_PIPE_MS));
  }
}

/** Writes as many bytes as the output takes now: none when its pipe is full. */
function writeSome(bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(STANDARD_OUTPUT, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === "EAGAIN") resolve(0);
      else reject(error);
    });
  });
}
