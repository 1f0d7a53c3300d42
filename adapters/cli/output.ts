/**
 * Writes the lines of a service to standard output and standard error. The service does not wait until the
 * lines are read.
 */
import { write } from "node:fs";
import { pauseFor, within } from "../../src/async/timer.ts";
import { LineWriter } from "../operation/line_writer.ts";
import { formatLeftOut, type LogForm } from "../operation/request_log.ts";

/** Delay before a write to a full pipe is tried again, in milliseconds. */
const FULL_PIPE_MS = 20;
/** Timeout for writing the last lines when a service ends, in milliseconds. */
const LAST_LINES_MS = 500;

type Stream = "stdout" | "stderr";

const DESCRIPTORS: Readonly<Record<Stream, number>> = { stdout: 1, stderr: 2 };

/**
 * Time for which lines are collected for one write, in milliseconds. Lines about requests are collected,
 * because a write costs more than formatting a line. Messages are not collected, because any message may be
 * the last message of a process.
 */
const GATHER_MS: Readonly<Record<Stream, number>> = { stdout: 50, stderr: 0 };

/**
 * The streams of Deno, which write without blocking. Deno's `node:fs` would write to a pipe in the thread of
 * the service, and block the thread.
 */
const { Deno } = globalThis as {
  readonly Deno?: Readonly<Record<Stream, { write(bytes: Uint8Array): Promise<number> }>>;
};

/** Returns a writer of lines to a stream. If no process reads the stream, the service continues. */
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

/** Waits until the last lines are written, for at most {@link LAST_LINES_MS}. */
export async function lastLines(outputs: readonly LineWriter[]): Promise<void> {
  const flushed = Promise.all(outputs.map((output) => output.flush()));
  await within(flushed, LAST_LINES_MS).catch(() => {});
}

/**
 * Writes as many bytes as the file descriptor accepts now, and returns their number. The number is 0 if the
 * pipe is full; the streams of `node:process` would then block the thread.
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
