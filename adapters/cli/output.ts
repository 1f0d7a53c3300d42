/** Writes lines of a service to standard output and standard error without waiting for a reader. */
import { write } from "node:fs";
import { pauseFor, within } from "../../src/async/timer.ts";
import { LineWriter } from "../operation/line_writer.ts";
import { formatLeftOut, type LogForm } from "../operation/request_log.ts";

/** Pause before a write to a full pipe is tried again, in milliseconds. */
const FULL_PIPE_MS = 20;
/** Longest wait for the last lines at the end of a service, in milliseconds. */
const LAST_LINES_MS = 500;

type Stream = "stdout" | "stderr";

const DESCRIPTORS: Readonly<Record<Stream, number>> = { stdout: 1, stderr: 2 };

/**
 * Time in which lines are gathered for one write, in milliseconds, because a write costs more than formatting
 * the line of a request. Messages are not gathered, because each may be the last one of a process.
 */
const GATHER_MS: Readonly<Record<Stream, number>> = { stdout: 50, stderr: 0 };

/** The writer of Deno. Deno's `node:fs` would write to a pipe in the thread of the service, and block it. */
const { Deno } = globalThis as {
  readonly Deno?: Readonly<Record<Stream, { write(bytes: Uint8Array): Promise<number> }>>;
};

/** Returns a writer of lines to a stream. If nothing reads the stream, the service continues. */
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

/** Waits for the last lines, but only for a limited time if nothing reads them. */
export async function lastLines(outputs: readonly LineWriter[]): Promise<void> {
  const flushed = Promise.all(outputs.map((output) => output.flush()));
  await within(flushed, LAST_LINES_MS).catch(() => {});
}

/**
 * Writes as many bytes as the descriptor accepts now: none if its pipe is full. The streams of `node:process`
 * would block the thread then.
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
