/** The lines of a service on standard output and standard error, which wait for no reader. */
import { write } from "node:fs";
import { pauseFor, within } from "../../src/async/timer.ts";
import { LineWriter } from "../operation/line_writer.ts";
import { formatLeftOut, type LogForm } from "../operation/request_log.ts";

/** Pause before a full pipe is tried again, in milliseconds. */
const FULL_PIPE_MS = 20;
/** Longest wait for the last lines at the end of a service, in milliseconds. */
const LAST_LINES_MS = 500;

/** A stream of the process. */
type Stream = "stdout" | "stderr";

const DESCRIPTORS: Readonly<Record<Stream, number>> = { stdout: 1, stderr: 2 };

/**
 * Time in which lines are gathered for one write, in milliseconds: a write costs more than a line of a
 * request. A message may be the last one of a process.
 */
const GATHER_MS: Readonly<Record<Stream, number>> = { stdout: 50, stderr: 0 };

/** Deno's `node:fs` writes to a pipe in the thread of the service. */
const { Deno } = globalThis as {
  readonly Deno?: Readonly<Record<Stream, { write(bytes: Uint8Array): Promise<number> }>>;
};

/** Lines to a stream. Where its reader takes none, the service goes on. */
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

/** Waits for the last lines, but not for a reader that takes none. */
export async function lastLines(outputs: readonly LineWriter[]): Promise<void> {
  const flushed = Promise.all(outputs.map((output) => output.flush()));
  await within(flushed, LAST_LINES_MS).catch(() => {});
}

/**
 * Writes as many bytes as the descriptor takes now: none when its pipe is full. The streams of `node:process`
 * would stop the thread there.
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
