/**
 * Writes log lines to standard output and standard error. The service does not wait until another process has
 * read the lines.
 */
import { write } from "node:fs";
import { pauseFor, within } from "../../src/async/timer.ts";
import { LineWriter } from "../operation/line_writer.ts";
import { formatLeftOut, type LogForm } from "../operation/request_log.ts";

/** Delay before the next attempt to write to a full pipe, in milliseconds. */
const FULL_PIPE_MS = 20;
/** Timeout for writing the last lines when a service ends, in milliseconds. */
const LAST_LINES_MS = 500;

type Stream = "stdout" | "stderr";

const DESCRIPTORS: Readonly<Record<Stream, number>> = { stdout: 1, stderr: 2 };

/**
 * Time for which lines are collected for one write, in milliseconds. A write costs more than formatting a
 * line. Messages on standard error are not collected, because any message may be the last message of a
 * process.
 */
const GATHER_MS: Readonly<Record<Stream, number>> = { stdout: 50, stderr: 0 };

/**
 * The streams of Deno, which write without blocking. Deno's `node:fs` would block the thread of the service
 * when it writes to a pipe.
 */
const { Deno } = globalThis as {
  readonly Deno?: Readonly<Record<Stream, { write(bytes: Uint8Array): Promise<number> }>>;
};

/** Returns a writer of lines to a stream. The service continues even if no process reads the stream. */
export function linesTo(stream: Stream, form: LogForm): LineWriter {
  const writeSome = Deno === undefined
    ? (bytes: Uint8Array) => writeTo(DESCRIPTORS[stream], bytes)
    : (bytes: Uint8Array) => Deno[stream].write(bytes);
  return new LineWriter(
    async (text) => {
      let rest = new TextEncoder().encode(text);
      while (rest.length > 0) {
        const written = await writeSome(rest);
        rest = rest.subarray(written);
        if (written === 0) await pauseFor(FULL_PIPE_MS);
      }
    },
    (lines) => formatLeftOut(lines, form, new Date()),
    GATHER_MS[stream],
  );
}

/** Waits until the last lines of all outputs are written, for at most {@link LAST_LINES_MS}. */
export async function lastLines(outputs: readonly LineWriter[]): Promise<void> {
  const flushed = Promise.all(outputs.map((output) => output.flush()));
  await within(flushed, LAST_LINES_MS).catch(() => {});
}

/**
 * Writes as many bytes as the file descriptor accepts now. Returns the number of written bytes, which is 0 if
 * a pipe is full. The streams of `node:process` would block the thread when a pipe is full.
 */
function writeTo(descriptor: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === "EAGAIN") resolve(0);
      else reject(error);
    });
  });
}
