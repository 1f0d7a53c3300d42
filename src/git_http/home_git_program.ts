/** git on the repositories of a Radicle home, as processes of the host. */
import { startUnrefTimer } from "../async/unref_timer.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { ApiError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { GitProgram } from "../ports/git_program.ts";
import type { ProgramCommand, RunningProgram, StartProgram } from "../ports/program.ts";
import type { Asker } from "../ports/workers.ts";
import { shownObjectsCommand, uploadPackCommand } from "./git_command.ts";
import { type PlaceLimits, ProcessPlaces } from "./process_places.ts";

/** Longest time of one process, in milliseconds: half an hour, however fast its client is. */
export const MAX_GIT_MS = 30 * 60_000;

/**
 * Time for which git has waited for a client, in milliseconds, after which the client may count as slow.
 */
export const SLOW_CLIENT_MS = 60_000;
/** Least bytes per second that a client must read while git waits for it. */
export const MIN_TAKEN_PER_SECOND = 32 * 1024;

/** Bounds instead of the constants. */
export interface GitLimits extends PlaceLimits {
  readonly maxMs?: number;
  readonly slowClientMs?: number;
}

/** A process with its place. */
interface Held {
  readonly running: RunningProgram;
  /** Kills the process if it still runs, and gives its place back. */
  readonly release: () => void;
  /** Bytes that the client has taken. */
  takenBytes: number;
  /** Time for which git has waited for the client, in milliseconds. */
  waitedMs: number;
  /** Since when git waits for the client, by the clock of `performance`; `undefined` while it works. */
  waitsSinceMs: number | undefined;
}

/** git on the repositories in a folder. */
export class HomeGitProgram implements GitProgram {
  readonly #root: string;
  readonly #start: StartProgram;
  readonly #maxMs: number;
  readonly #slowClientMs: number;
  readonly #places: ProcessPlaces;
  readonly #held = new Set<Held>();

  /** @param root Absolute path of the home's `storage` folder. */
  constructor(root: string, start: StartProgram, limits: GitLimits = {}) {
    this.#root = root;
    this.#start = start;
    this.#maxMs = limits.maxMs ?? MAX_GIT_MS;
    this.#slowClientMs = limits.slowClientMs ?? SLOW_CLIENT_MS;
    this.#places = new ProcessPlaces(limits);
  }

  /** Number of processes that run. */
  get running(): number {
    return this.#places.taken;
  }

  async uploadPack(
    request: Parameters<GitProgram["uploadPack"]>[0],
    asker: Asker,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const held = await this.#run(uploadPackCommand(this.#folderOf(request.rid), request), asker);
    const reader = held.running.output.getReader();
    try {
      // The first piece tells whether git answers at all.
      const first = await reader.read();
      if (first.done) await requireSuccess(held);
      return restOf(first.value, reader, held);
    } catch (error) {
      held.release();
      throw error;
    }
  }

  async unreachable(rid: RepoId, oids: readonly Oid[], asker: Asker): Promise<readonly Oid[]> {
    const held = await this.#run(shownObjectsCommand(this.#folderOf(rid)), asker);
    const missing = new Set<string>(oids);
    const slices = new TimeSlices();
    const decoder = new TextDecoder("latin1");
    try {
      let rest = "";
      for (const reader = held.running.output.getReader(); missing.size > 0;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (rest + decoder.decode(value)).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) missing.delete(line);
        await slices.next();
      }
      return oids.filter((oid) => missing.has(oid));
    } finally {
      held.release();
    }
  }

  /** Ends all processes. */
  close(): void {
    for (const held of this.#held) held.release();
  }

  /** Ends the process whose client takes least, if that client is slow, to make room for another process. */
  #endSlowest(): void {
    const nowMs = performance.now();
    let slowest: Held | undefined;
    let least = MIN_TAKEN_PER_SECOND / 1000;
    for (const held of this.#held) {
      const waitedMs = held.waitedMs + nowMs - (held.waitsSinceMs ?? nowMs);
      if (waitedMs < this.#slowClientMs || held.takenBytes / waitedMs >= least) continue;
      least = held.takenBytes / waitedMs;
      slowest = held;
    }
    slowest?.release();
  }

  #folderOf(rid: RepoId): string {
    return `${this.#root}/${rid.slice("rad:".length)}`;
  }

  async #run(command: ProgramCommand, asker: Asker): Promise<Held> {
    if (this.#places.areTaken) this.#endSlowest();
    const giveBack = await this.#places.take(asker);
    let running: RunningProgram;
    try {
      running = await this.#start(command);
    } catch (error) {
      giveBack();
      throw error;
    }
    const release = () => {
      if (!this.#held.delete(held)) return;
      stopTimer();
      asker.signal?.removeEventListener("abort", release);
      running.kill();
    };
    const held: Held = { running, release, takenBytes: 0, waitedMs: 0, waitsSinceMs: undefined };
    this.#held.add(held);
    const stopTimer = startUnrefTimer(this.#maxMs, release);
    asker.signal?.addEventListener("abort", release);
    if (asker.signal?.aborted) release();
    // The place is free when the process has ended, not when it was told to.
    void running.ended.then(() => {
      release();
      giveBack();
    });
    return held;
  }
}

/** Throws unless the process has ended well. */
async function requireSuccess({ running }: Held): Promise<void> {
  const { status, errors } = await running.ended;
  if (status === undefined) throw new ApiError("unavailable", "git was ended");
  if (status !== 0) throw new Error(`git upload-pack ended with ${status}: ${errors.trim()}`);
}

/** The output from its first piece on. */
function restOf(
  first: Uint8Array<ArrayBuffer> | undefined,
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  held: Held,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = first;
  const { release } = held;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        if (held.waitsSinceMs !== undefined) held.waitedMs += performance.now() - held.waitsSinceMs;
        held.waitsSinceMs = undefined;
        const value = next ?? (await reader.read()).value;
        next = undefined;
        if (value !== undefined) {
          held.takenBytes += value.length;
          held.waitsSinceMs = performance.now();
          return controller.enqueue(value);
        }
        release();
        controller.close();
      } catch (error) {
        release();
        throw error;
      }
    },
    cancel: () => release(),
  }, { highWaterMark: 0 });
}
