/**
 * Runs git processes on the repositories of a Radicle home. The number of processes is limited, in total and
 * for each client.
 */
import {
  byteStream,
  joinBytes,
  type Leave,
  Limiter,
  type Oid,
  type ProgramCommand,
  type RepoId,
  type Requester,
  type RunningProgram,
  type StartProgram,
  startSystemTimer,
  startUnrefTimer,
  Task,
  UnavailableError,
} from "../../src/mod.ts";
import type { GitProgram, UploadPackOutput, UploadPackRequest } from "./git_program.ts";
import {
  commitBeyondCommand,
  commitsBeyondRefsCommand,
  shownObjectsCommand,
  uploadPackCommand,
} from "./git_command.ts";

/** Timeout of one git process, in milliseconds. The timeout applies even if the client reads fast. */
export const MAX_GIT_MS = 30 * 60_000;

/**
 * Maximum size of git's output that is collected in memory before the first byte is sent, in bytes, by kind
 * of work.
 */
export const MAX_START_BYTES = { references: 4 * 1024 * 1024, fetches: 1024 * 1024 } as const;
/** Time after which a fetch is treated as large, in milliseconds, even if git has written little. */
export const SMALL_FETCH_MS = 2000;

/** Minimum speed at which a client must read while other clients wait for a slot, in bytes per second. */
export const MIN_TAKEN_PER_SECOND = 128 * 1024;
/**
 * How long a client may read more slowly than {@link MIN_TAKEN_PER_SECOND}, in milliseconds. Some time is
 * allowed, because large buffers are emptied in bursts.
 */
export const LAG_MS = 15_000;

/** Limits that replace the constants of this module. */
export interface GitLimits extends PlaceLimits {
  readonly maxProcesses?: Partial<Record<GitWork, number>>;
  readonly maxMs?: number;
  readonly maxStartBytes?: number;
  readonly smallFetchMs?: number;
  readonly lagMs?: number;
}

/** A running process and its slot. */
interface Held {
  readonly running: RunningProgram;
  readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  /** Kills the process if it still runs. The slot becomes free when the process has ended. */
  readonly release: () => void;
  work: GitWork;
  giveBack: () => void;
  /**
   * How much longer the client may read slowly, in milliseconds, measured when git began to wait for the
   * client.
   */
  lagMs: number;
  /**
   * Time since which git has waited for the client to read, by the clock of `performance`; `undefined` while
   * git makes output.
   */
  waitsSinceMs: number | undefined;
}

type Piece = Awaited<ReturnType<Held["reader"]["read"]>>;

interface Start {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The next piece of the output; `undefined` at the end of the output. */
  readonly next: Promise<Piece> | undefined;
}

export class HomeGitProgram implements GitProgram {
  readonly #root: string;
  readonly #start: StartProgram;
  readonly #limits: GitLimits;
  readonly #lagMs: number;
  readonly #places: Readonly<Record<GitWork, Limiter>>;
  readonly #held = new Set<Held>();
  readonly #starts = new Limiter({ atOnce: 1 });
  #stopLook: (() => void) | undefined;

  /** @param root Absolute path of the home's `storage` folder. */
  constructor(root: string, start: StartProgram, limits: GitLimits = {}) {
    this.#root = root;
    this.#start = start;
    this.#limits = limits;
    this.#lagMs = limits.lagMs ?? LAG_MS;
    const placesFor = (work: GitWork) => createPlaces(this.#maxProcesses(work), limits);
    this.#places = {
      references: placesFor("references"),
      fetches: placesFor("fetches"),
      packs: placesFor("packs"),
      walks: placesFor("walks"),
    };
  }

  /** Number of running processes. */
  get running(): number {
    return Object.values(this.#places).reduce((sum, { running }) => sum + running, 0);
  }

  /** Number of requests that wait for a process. */
  get waiting(): number {
    return Object.values(this.#places).reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /**
   * Runs `git upload-pack`. Every fetch starts in a slot for fetches, and the start of its output is
   * collected in memory. A large fetch needs a slot for packs. If no such slot is free, the process is ended,
   * and starts again when a slot is free.
   */
  async uploadPack(request: UploadPackRequest, requester: Requester): Promise<UploadPackOutput> {
    const command = uploadPackCommand(this.#folderOf(request.rid), request);
    const work = request.isList ? "references" : "fetches";
    const { maxStartBytes = MAX_START_BYTES[work], smallFetchMs = SMALL_FETCH_MS } = this.#limits;
    const held = await this.#run(command, work, requester);
    const start = await this.#read(held, maxStartBytes, request.isList ? undefined : smallFetchMs);
    if (start.next === undefined || request.isList) return await this.#outputOf(held, start);
    const place = this.#places.packs.tryEnter({ keys: [requester.peer] });
    if (place !== undefined) {
      held.giveBack();
      held.work = "packs";
      held.giveBack = place;
      return await this.#outputOf(held, start);
    }
    held.release();
    const again = await this.#run(command, "packs", requester);
    return await this.#outputOf(again, await this.#read(again, 1));
  }

  async commitsBeyondRefs(
    rid: RepoId,
    commits: readonly Oid[],
    tips: readonly Oid[],
    requester: Requester,
  ): Promise<ReadonlySet<Oid>> {
    const folder = this.#folderOf(rid);
    if (tips.length > 0) {
      const held = await this.#run(commitBeyondCommand(folder, commits, tips), "fetches", requester);
      const { bytes, next } = await this.#read(held, Infinity);
      if (bytes.length === 0 && next === undefined && await failureOf(held) === undefined) return new Set();
    }
    const command = commitsBeyondRefsCommand(folder, commits);
    const { listed, failure } = await listIds(commits, await this.#run(command, "fetches", requester));
    return failure === undefined ? listed : new Set(commits);
  }

  async unreachable(rid: RepoId, oids: readonly Oid[], requester: Requester): Promise<readonly Oid[]> {
    const command = shownObjectsCommand(this.#folderOf(rid));
    const { listed: shown } = await listIds(oids, await this.#run(command, "walks", requester));
    return oids.filter((oid) => !shown.has(oid));
  }

  close(): void {
    this.#stopLook?.();
    for (const held of this.#held) held.release();
  }

  #maxProcesses(work: GitWork): number {
    return this.#limits.maxProcesses?.[work] ?? MAX_GIT_PROCESSES[work];
  }

  #makeRoom(): void {
    this.#stopLook = undefined;
    for (const work of Object.keys(this.#places) as GitWork[]) {
      const { waiting, running } = this.#places[work];
      if (waiting === 0) continue;
      this.#stopLook ??= startUnrefTimer(this.#limits.makeRoomMs ?? MAKE_ROOM_MS, () => this.#makeRoom());
      if (running >= this.#maxProcesses(work)) this.#endSlowest(work);
    }
  }

  /**
   * Ends the process whose client is the slowest reader. A client that reads fast enough keeps its process.
   */
  #endSlowest(work: GitWork): void {
    const nowMs = performance.now();
    let slowest: Held | undefined;
    let least = 0;
    for (const held of this.#held) {
      const lagMs = held.lagMs - (nowMs - (held.waitsSinceMs ?? nowMs));
      if (held.work !== work || lagMs > least) continue;
      least = lagMs;
      slowest = held;
    }
    slowest?.release();
  }

  #folderOf(rid: RepoId): string {
    return `${this.#root}/${rid.slice("rad:".length)}`;
  }

  /**
   * Starts one program per turn of the event loop, because each start blocks a large process for some
   * milliseconds.
   */
  async #startAlone(command: ProgramCommand): Promise<RunningProgram> {
    const leave = await this.#starts.enter();
    try {
      return await this.#start(command);
    } finally {
      startSystemTimer(0, leave);
    }
  }

  async #run(command: ProgramCommand, work: GitWork, requester: Requester): Promise<Held> {
    const place = takePlace(this.#places[work], requester);
    if (this.#stopLook === undefined) this.#makeRoom();
    const giveBack = await place;
    let running: RunningProgram;
    try {
      running = await this.#startAlone(command);
    } catch (error) {
      giveBack();
      throw error;
    }
    const release = () => {
      if (!this.#held.delete(held)) return;
      stopTimer();
      requester.signal?.removeEventListener("abort", release);
      running.kill();
    };
    const reader = running.output.getReader();
    const held: Held = {
      running,
      reader,
      release,
      work,
      giveBack,
      lagMs: this.#lagMs,
      waitsSinceMs: undefined,
    };
    this.#held.add(held);
    const stopTimer = startUnrefTimer(this.#limits.maxMs ?? MAX_GIT_MS, release);
    requester.signal?.addEventListener("abort", release);
    if (requester.signal?.aborted) release();
    // The slot becomes free when the process has ended. Before, the process has only got the signal to
    // end.
    void running.ended.then(() => {
      release();
      held.giveBack();
    });
    return held;
  }

  /** Reads output until the output ends, `maxBytes` have arrived, or `maxMs` have passed. */
  async #read({ reader, release }: Held, maxBytes: number, maxMs?: number): Promise<Start> {
    const late = Promise.withResolvers<undefined>();
    const stopTimer = maxMs === undefined ? () => {} : startSystemTimer(maxMs, () => late.resolve(undefined));
    const pieces: Uint8Array[] = [];
    try {
      for (let size = 0;;) {
        const next = reader.read();
        const piece = size < maxBytes ? await Promise.race([next, late.promise]) : undefined;
        if (piece === undefined) return { bytes: joinBytes(pieces), next };
        if (piece.done) return { bytes: joinBytes(pieces), next: undefined };
        pieces.push(piece.value);
        size += piece.value.length;
      }
    } catch (error) {
      release();
      throw error;
    } finally {
      stopTimer();
    }
  }

  async #outputOf(held: Held, { bytes, next }: Start): Promise<UploadPackOutput> {
    if (next === undefined) return { start: bytes, rest: undefined, failure: await failureOf(held) };
    return { start: bytes, rest: this.#restOf(held, next), failure: undefined };
  }

  /**
   * Returns the output of a process as a stream that begins with a given piece. Reading the stream fails when
   * the process is ended early.
   */
  #restOf(held: Held, first: Promise<Piece>): ReadableStream<Uint8Array<ArrayBuffer>> {
    let next: Promise<Piece> | undefined = first;
    held.waitsSinceMs = performance.now();
    const read = async () => {
      const nowMs = performance.now();
      held.lagMs -= nowMs - (held.waitsSinceMs ?? nowMs);
      held.waitsSinceMs = undefined;
      const { value } = await (next ?? held.reader.read());
      next = undefined;
      // A git that failed has already reported the failure to the client. Only a process that was stopped
      // is an error here.
      if (value === undefined) await failureOf(held);
      else {
        held.lagMs = Math.min(this.#lagMs, held.lagMs + value.length * 1000 / MIN_TAKEN_PER_SECOND);
        held.waitsSinceMs = performance.now();
      }
      return value;
    };
    return byteStream(read, { cancel: () => (held.release(), held.reader.cancel()) });
  }
}

/**
 * Returns the standard error of a program that failed; `undefined` when the program succeeded.
 *
 * @throws {UnavailableError} when the process was stopped.
 */
async function failureOf({ running }: Held): Promise<string | undefined> {
  const { status, errors } = await running.ended;
  if (status === undefined) throw new UnavailableError("git was stopped");
  return status === 0 ? undefined : errors.trim() || `exit status ${status}`;
}

/** Returns the given object ids that a program lists. Ends the program when all given ids are found. */
async function listIds(
  oids: readonly Oid[],
  held: Held,
): Promise<{ readonly listed: ReadonlySet<Oid>; readonly failure: string | undefined }> {
  const sought: ReadonlySet<string> = new Set(oids);
  const listed = new Set<string>();
  const task = new Task();
  const decoder = new TextDecoder("latin1");
  try {
    for (let rest = ""; listed.size < sought.size;) {
      const { done, value } = await held.reader.read();
      if (done) return { listed: listed as Set<Oid>, failure: await failureOf(held) };
      const lines = (rest + decoder.decode(value)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (sought.has(line)) listed.add(line);
      await task.yield();
    }
    return { listed: listed as Set<Oid>, failure: undefined };
  } finally {
    held.release();
  }
}

/** Kinds of work of git processes. Each kind has separate slots. */
export type GitWork = "references" | "fetches" | "packs" | "walks";

/**
 * Maximum number of simultaneous git processes by kind of work. `references` lists references. `fetches`
 * starts fetches, and finishes small fetches. `packs` makes the rest of large fetches. `walks` walks over all
 * objects. A process for fetches or packs may start another process.
 */
export const MAX_GIT_PROCESSES: Readonly<Record<GitWork, number>> = {
  references: 4,
  fetches: 4,
  packs: 8,
  walks: 2,
};
/** Maximum share of the slots for one kind of work that one client may take. */
export const SHARE_OF_PEER = 1 / 2;
/**
 * Maximum number of requests that wait for a slot for one kind of work. Further requests are refused at once.
 */
export const MAX_WAITING_FOR_GIT = 256;
/** Delay before the next process is ended to make room for a waiting request, in milliseconds. */
export const MAKE_ROOM_MS = 1000;
/** Timeout of the wait for a slot, in milliseconds. */
export const GIT_WAIT_MS = 60_000;
/** Value of `Retry-After` for a request that got no slot, in seconds. */
const RETRY_SECONDS = 10;

/** Limits that replace the constants of this module. */
export interface PlaceLimits {
  readonly maxOfPeer?: number;
  readonly maxWaiting?: number;
  readonly waitMs?: number;
  readonly makeRoomMs?: number;
}

/**
 * Creates a limiter with a number of slots. One client gets at most {@link SHARE_OF_PEER} of the slots.
 *
 * @param max Number of slots.
 */
export function createPlaces(max: number, limits: PlaceLimits = {}): Limiter {
  const { maxOfPeer = Math.ceil(max * SHARE_OF_PEER) } = limits;
  return new Limiter({ atOnce: max, ofKey: maxOfPeer }, {
    waiting: limits.maxWaiting ?? MAX_WAITING_FOR_GIT,
    waitMs: limits.waitMs ?? GIT_WAIT_MS,
  });
}

/**
 * Takes a slot, or waits until a slot is free.
 *
 * @returns a function that frees the slot.
 * @throws {UnavailableError} when too many requests wait, the wait is too long, or the client has
 * disconnected.
 */
export function takePlace(places: Limiter, { peer, signal }: Requester): Promise<Leave> {
  return places.enter({ keys: [peer], signal }).catch(() => Promise.reject(unavailable()));
}

function unavailable(): UnavailableError {
  return new UnavailableError("Too many clones and fetches at a time", {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
