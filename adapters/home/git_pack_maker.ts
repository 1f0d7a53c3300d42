/** Makes git packs of a home's repositories with the host's git program. The home is only read. */
import { GIT_ENVIRONMENT } from "../../extensions/git/git_command.ts";
import {
  type MadePack,
  PACK_LIMIT_BYTES,
  type PackMaker,
  type PackRequest,
} from "../../extensions/replicas/publisher/pack_maker.ts";
import { DamagedError, TooLargeError, UnavailableError, UnsupportedError } from "../../src/errors.ts";
import { makeFolders, removeFolder, writeText } from "./temporary_files.ts";
import { startSystemTimer } from "../../src/async/timer.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { isOid, type Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { WritableFileSystem } from "../../src/ports/file_system.ts";
import type { ProgramEnd, RunningProgram, StartProgram } from "../../src/ports/program.ts";
import { type Leave, Limiter } from "../../src/scheduling/limiter.ts";
import { Task } from "../../src/scheduling/task.ts";

/** Maximum number of git processes for small changes that run at the same time. */
export const SMALL_AT_ONCE = 4;
/**
 * Time after which a git process counts as large work, in milliseconds. Only one large process runs at a
 * time.
 */
export const SMALL_MS = 2_000;
/** Timeout of one git process, in milliseconds. */
export const MAX_PACKING_MS: number = 60 * 60_000;
/** Size of a pack above which it counts as large work, in bytes. Only one such pack is in memory. */
export const LARGE_PACK_BYTES: number = 8 * 2 ** 20;
/**
 * Maximum size of a pack with one large object, in bytes. All other packs have at most
 * {@link PACK_LIMIT_BYTES}.
 */
export const MAX_HELD_PACK_BYTES: number = 2 ** 31 - 1;
/** Size of a pack above which it waits for one of {@link MIDDLE_AT_ONCE} slots, in bytes. */
const MIDDLE_PACK_BYTES = 2 ** 20;
const MIDDLE_AT_ONCE = 4;

/** Maximum length of the list of objects of a repository that lacks some objects, in bytes. */
const MAX_LIST_BYTES = 2 ** 28;
/** Maximum number of commits with missing parents of one repository. */
const MAX_LOOSE_ENDS = 64;
/** Number of bytes of a file that are read between two pauses. */
const READ_AT_ONCE_BYTES = 2 ** 20;
/** Age of a temporary folder after which its publisher must have been killed, in milliseconds. */
const MAX_FOLDER_AGE_MS = MAX_PACKING_MS + 60_000;

const OLDEST_GIT = [2, 30] as const;
const FOLDER_NAME = /^packs-[0-9a-f-]{36}$/;
const LOOSE_END = /Failed to traverse parents of commit ([0-9a-f]{40})/;
/** Offset and size of the number of objects in the header of a pack. */
const COUNT_AT = 8;

/** Environment of every git process. Only this environment and the arguments decide what git does. */
export const ENVIRONMENT: Readonly<Record<string, string>> = { ...GIT_ENVIRONMENT, HOME: "/nonexistent" };

/** Settings of every process. They limit its memory. */
const SETTINGS: readonly string[] = [
  "core.bigFileThreshold=16m",
  "pack.windowMemory=64m",
  "pack.deltaCacheSize=64m",
  // With one thread, the same objects give the same pack. So a publisher that continues the work of a killed
  // publisher need not send the packs again that are already in the bucket.
  "pack.threads=1",
  "pack.indexVersion=2",
  "pack.writeReverseIndex=false",
  // The files are temporary.
  "core.fsync=none",
  // A commit-graph file may list commits that the repository no longer has.
  "core.commitGraph=false",
];

export interface GitPackMakerOptions {
  /** Absolute path of the home's `storage` folder. */
  readonly root: string;
  /**
   * Absolute path of the folder for temporary files. In a folder that other users can change, files of killed
   * publishers must not be removed.
   */
  readonly folder: { readonly path: string; readonly isShared: boolean };
  readonly fileSystem: WritableFileSystem;
  readonly startProgram: StartProgram;
  /** Replaces {@link SMALL_MS}. */
  readonly smallMs?: number | undefined;
}

/** One request. `leaveLarge` is set while it holds the slot for large work. */
interface Work extends Pick<PackRequest, "rid" | "signal" | "onLarge"> {
  /** Path of the temporary git directory. */
  readonly folder: string;
  leaveLarge?: Leave;
}

/** The end of a program, with its whole output. */
export interface Ended extends ProgramEnd {
  readonly output: Uint8Array<ArrayBuffer>;
}

export class GitPackMaker implements PackMaker {
  readonly #options: GitPackMakerOptions;
  readonly #small = new Limiter({ atOnce: SMALL_AT_ONCE });
  readonly #middle = new Limiter({ atOnce: MIDDLE_AT_ONCE });
  readonly #large = new Limiter({ atOnce: 1 });
  readonly #starts = new Limiter({ atOnce: 1 });
  readonly #task = new Task("background");
  #checked: Promise<void> | undefined;

  constructor(options: GitPackMakerOptions) {
    this.#options = options;
  }

  /**
   * Checks that the host has a usable git, and removes the temporary files of killed publishers. Called
   * before the first pack is made.
   *
   * @throws {UnsupportedError}
   */
  check(): Promise<void> {
    this.#checked ??= this.#check().catch((error) => {
      this.#checked = undefined;
      throw error;
    });
    return this.#checked;
  }

  async make(
    request: PackRequest,
    use: (pack: MadePack) => Promise<void>,
  ): Promise<{ readonly isComplete: boolean }> {
    const { rid, signal, onLarge } = request;
    await this.check();
    signal?.throwIfAborted();
    const work: Work = { rid, signal, onLarge, folder: this.#createFolder(request.shallow) };
    try {
      return await this.#makePacks(work, request, use);
    } finally {
      work.leaveLarge?.();
      removeFolder(this.#options.fileSystem, work.folder);
    }
  }

  async #makePacks(
    work: Work,
    request: PackRequest,
    use: (pack: MadePack) => Promise<void>,
  ): Promise<{ readonly isComplete: boolean }> {
    const whole = await this.#packObjects(work, ["--revs"], linesOf(request.tips, request.published));
    if (whole.status === 0) {
      await this.#usePacks(work, namesIn(whole), use);
      return { isComplete: true };
    }
    // Objects are probably missing. git packs a list of the objects that exist.
    const objects = await this.#listObjects(work, request);
    const made = objects && await this.#packObjects(work, [], objects);
    if (made?.status !== 0) {
      throw new DamagedError(`Cannot pack ${work.rid}`, { cause: new Error(firstLine(made ?? whole)) });
    }
    await this.#usePacks(work, namesIn(made), use);
    return { isComplete: false };
  }

  #packObjects(work: Work, options: readonly string[], input: Uint8Array<ArrayBuffer>): Promise<Ended> {
    const args = [
      "pack-objects",
      ...options,
      "--delta-base-offset",
      `--max-pack-size=${PACK_LIMIT_BYTES}`,
      "-q",
      `${work.folder}/pack`,
    ];
    return this.#git(work, args, input);
  }

  /**
   * Lists the objects to pack, as far as they exist. History ends at a commit whose parents are missing.
   * Returns `undefined` when git cannot list them.
   */
  async #listObjects(
    work: Work,
    { tips, published, shallow }: PackRequest,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const args = ["rev-list", "--objects", "--missing=allow-any", "--stdin"];
    const ends = new Set(shallow);
    let excluded = published;
    for (let tries = 0; tries < MAX_LOOSE_ENDS; tries++) {
      const listed = await this.#git(work, args, linesOf(tips, excluded));
      if (listed.status === 0) return listed.output;
      const end = LOOSE_END.exec(listed.errors)?.[1] as Oid | undefined;
      if (end !== undefined && !ends.has(end)) {
        ends.add(end);
        this.#writeShallow(work.folder, ends);
        // Without the history, git may not find the way to published objects.
      } else if (excluded.length > 0) excluded = [];
      else return undefined;
    }
    return undefined;
  }

  async #usePacks(
    work: Work,
    names: readonly Oid[],
    use: (pack: MadePack) => Promise<void>,
  ): Promise<void> {
    const { fileSystem } = this.#options;
    for (const name of names) {
      const path = `${work.folder}/pack-${name}`;
      const bytes = fileSystem.stat(`${path}.pack`)?.size ?? 0;
      if (bytes > MAX_HELD_PACK_BYTES) {
        throw new TooLargeError(`An object of ${work.rid} is too large: its pack has ${bytes} bytes`);
      }
      if (bytes > LARGE_PACK_BYTES) await this.#beLarge(work);
      const isMiddle = bytes > MIDDLE_PACK_BYTES && work.leaveLarge === undefined;
      const leave = isMiddle ? await this.#middle.enter({ signal: work.signal }) : () => {};
      try {
        const pack = await this.#readFile(`${path}.pack`, work.signal);
        const idx = await this.#readFile(`${path}.idx`, work.signal);
        fileSystem.remove(`${path}.pack`);
        fileSystem.remove(`${path}.idx`);
        const isEmpty = new DataView(pack.buffer).getUint32(COUNT_AT) === 0;
        if (!isEmpty) await use({ name, pack, idx });
      } finally {
        leave();
      }
    }
  }

  async #beLarge(work: Work): Promise<void> {
    if (work.leaveLarge !== undefined) return;
    work.onLarge?.();
    work.leaveLarge = await this.#large.enter({ signal: work.signal });
  }

  /**
   * Runs git. Work that takes long needs the slot for large work. If another request has this slot, git is
   * ended, and starts again when the slot is free.
   */
  async #git(work: Work, args: readonly string[], input: Uint8Array<ArrayBuffer>): Promise<Ended> {
    if (work.leaveLarge === undefined) {
      const leave = await this.#small.enter({ signal: work.signal });
      try {
        const running = await this.#start(work, args, input);
        const ended = await firstOf(running.ended, this.#options.smallMs ?? SMALL_MS);
        if (ended !== undefined) return this.#checkEnd(work, ended);
        const leaveLarge = this.#large.tryEnter();
        if (leaveLarge !== undefined) {
          work.leaveLarge = leaveLarge;
          work.onLarge?.();
          leave();
          return this.#checkEnd(work, await running.ended);
        }
        running.kill();
        await running.ended;
      } finally {
        leave();
      }
      await this.#beLarge(work);
    }
    const running = await this.#start(work, args, input);
    return this.#checkEnd(work, await running.ended);
  }

  /** @throws The reason of the signal, or {@link UnavailableError} when git was stopped. */
  #checkEnd({ rid, signal }: Work, ended: Ended): Ended {
    signal?.throwIfAborted();
    if (ended.status === undefined) throw new UnavailableError(`git was stopped while it packed ${rid}`);
    return ended;
  }

  /** Starts git. It ends after a time limit, or when the signal is aborted. */
  async #start({ rid, folder, signal }: Work, args: readonly string[], input: Uint8Array<ArrayBuffer>) {
    const running = await this.#startAlone({
      args: [...SETTINGS.flatMap((setting) => ["-c", setting]), ...args],
      environment: {
        ...GIT_ENVIRONMENT,
        GIT_DIR: folder,
        GIT_OBJECT_DIRECTORY: `${folder}/objects`,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(`${this.#folderOf(rid)}/objects`),
      },
      input,
    });
    const kill = () => running.kill();
    const stopTimer = startSystemTimer(MAX_PACKING_MS, kill);
    signal?.addEventListener("abort", kill);
    if (signal?.aborted) kill();
    const ended = readEnd(running).finally(() => {
      stopTimer();
      signal?.removeEventListener("abort", kill);
    });
    return { ended, kill };
  }

  /**
   * Starts one program per turn of the event loop, because in a large process each start takes some
   * milliseconds.
   */
  async #startAlone(command: Omit<Parameters<StartProgram>[0], "program">): Promise<RunningProgram> {
    const leave = await this.#starts.enter();
    try {
      return await this.#options.startProgram({ program: "git", ...command });
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      throw needsGit("git cannot be run", error);
    } finally {
      startSystemTimer(0, leave);
    }
  }

  async #check(): Promise<void> {
    const running = await this.#startAlone({
      args: ["version"],
      environment: ENVIRONMENT,
      input: new Uint8Array(),
    });
    const { output } = await readEnd(running);
    const text = new TextDecoder().decode(output).trim();
    const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(text) ?? [];
    const isOld = Number(major) < OLDEST_GIT[0] ||
      Number(major) === OLDEST_GIT[0] && Number(minor) < OLDEST_GIT[1];
    if (major === undefined || isOld) throw needsGit(`this host has "${text}"`);
    this.#removeOldFolders();
  }

  #folderOf(rid: RepoId): string {
    return `${this.#options.root}/${rid.slice("rad:".length)}`;
  }

  /** Creates a bare repository without objects and references. Returns its path. */
  #createFolder(shallow: Iterable<Oid>): string {
    const { fileSystem, folder } = this.#options;
    const path = `${folder.path}/packs-${crypto.randomUUID()}`;
    makeFolders(fileSystem, folder.path);
    for (const made of [path, `${path}/objects`, `${path}/refs`]) {
      if (fileSystem.makeDirectory(made) !== "made") throw new Error(`Cannot create the folder ${made}`);
    }
    writeText(fileSystem, `${path}/HEAD`, "ref: refs/heads/none\n");
    const ends = new Set(shallow);
    if (ends.size > 0) this.#writeShallow(path, ends);
    return path;
  }

  #writeShallow(folder: string, ends: ReadonlySet<Oid>): void {
    const { fileSystem } = this.#options;
    fileSystem.remove(`${folder}/shallow`);
    writeText(fileSystem, `${folder}/shallow`, [...ends].map((oid) => `${oid}\n`).join(""));
  }

  #removeOldFolders(): void {
    const { fileSystem, folder } = this.#options;
    if (folder.isShared) return;
    for (const { name, kind } of fileSystem.list(folder.path) ?? []) {
      const path = `${folder.path}/${name}`;
      if (kind !== "directory" || !FOLDER_NAME.test(name)) continue;
      const ageMs = Date.now() - (fileSystem.stat(path)?.modifiedMs ?? Infinity);
      if (ageMs > MAX_FOLDER_AGE_MS) removeFolder(fileSystem, path);
    }
  }

  async #readFile(path: string, signal: AbortSignal | undefined): Promise<Uint8Array<ArrayBuffer>> {
    const file = this.#options.fileSystem.open(path);
    if (file === undefined) throw new Error(`The file ${path} has vanished`);
    try {
      const bytes = new Uint8Array(file.size);
      for (let at = 0; at < bytes.length; at += READ_AT_ONCE_BYTES) {
        file.read(bytes.subarray(at, at + READ_AT_ONCE_BYTES), at);
        await this.#task.yield();
        signal?.throwIfAborted();
      }
      return bytes;
    } finally {
      file.close();
    }
  }
}

function linesOf(tips: readonly Oid[], excluded: readonly Oid[]): Uint8Array<ArrayBuffer> {
  const lines = [...tips.map((oid) => `${oid}\n`), ...excluded.map((oid) => `^${oid}\n`)];
  return new TextEncoder().encode(lines.join(""));
}

function namesIn({ output }: Ended): readonly Oid[] {
  return new TextDecoder().decode(output).split("\n").filter(isOid);
}

/** Reads the whole output of a program. Ends the program when the output is too long. */
export async function readEnd(running: RunningProgram): Promise<Ended> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of running.output) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MAX_LIST_BYTES) break;
  }
  return { ...await running.ended, output: joinBytes(parts) };
}

/** Returns the first value of a promise, or `undefined` when it takes longer. */
async function firstOf<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const stopTimer = startSystemTimer(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    stopTimer();
  }
}

function firstLine({ errors }: Ended): string {
  return errors.split("\n", 1)[0]!;
}

function needsGit(reason: string, cause?: unknown): UnsupportedError {
  return new UnsupportedError(
    `Publishing needs git ${
      OLDEST_GIT.join(".")
    } or newer, but ${reason}; install it (on Deno, also allow it with --allow-run=git)`,
    { cause },
  );
}

/** Quotes a path for a list of paths, where git separates the paths by colons. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
