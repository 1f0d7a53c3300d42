/** The real `xylem` command as a process, on the runtime that executes this. */
import { Buffer } from "node:buffer";
import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFileSync,
  spawn,
  type StdioOptions,
} from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, read, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { requireCaught } from "../../support/programs.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The node of {@link makeHome}: the key of the seed 32 × ff. */
export const NID = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHahWSBEpuT1ESZbynOmBNkLBSnR32Ar4woZqSV2YNH1 radicle\n";

/** What a command left behind. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that serves. */
export interface Serving {
  /** The addresses that it said it serves. */
  readonly urls: readonly string[];
  /** Everything that it wrote to stdout when it was ready. */
  readonly stdout: string;
  /** Reads no more of what it writes. */
  deafen(): void;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Outcome>;
}

/** How to run a command. */
export interface RunOptions {
  /** Variables besides `PATH` and the caches of the runtimes; nothing else of the surroundings is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Permissions for Deno; all by default. */
  readonly permissions?: readonly string[];
  /** The checkout that runs; this one by default. */
  readonly checkout?: string;
  /** Whether a service asks itself for the first projects, as users start it; by default it does not, which takes a second. */
  readonly isWarmed?: boolean;
}

/** Makes a home with a public key and these files. */
export function makeHome(home: string, files: Readonly<Record<string, string>> = {}): string {
  const all = { "keys/radicle.pub": KEY, "config.json": '{"node":{"alias":"alice"}}', ...files };
  for (const folder of ["keys", "storage"]) mkdirSync(join(home, folder), { recursive: true });
  for (const [name, content] of Object.entries(all)) writeFileSync(join(home, name), content);
  return home;
}

/** A command that writes lines while it works. */
export interface Watching {
  /** The next line of stdout that matches; fails when the command ends before. */
  line(pattern: RegExp): Promise<string>;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Outcome>;
}

/** Runs a command that goes on until it is ended. */
export function watch(args: readonly string[], options: RunOptions = {}): Watching {
  const { child, outcome } = start(args, options);
  let unread = "";
  let isOver = false;
  let heard = Promise.withResolvers<void>();
  const wake = () => {
    heard.resolve();
    heard = Promise.withResolvers();
  };
  child.stdout.on("data", (text) => {
    unread += text;
    wake();
  });
  void outcome.then(() => {
    isOver = true;
    wake();
  });
  return {
    async line(pattern) {
      for (;;) {
        for (let end = unread.indexOf("\n"); end >= 0; end = unread.indexOf("\n")) {
          const line = unread.slice(0, end);
          unread = unread.slice(end + 1);
          if (pattern.test(line)) return line;
        }
        if (isOver) throw new Error(`The command ended: ${(await outcome).stderr}`);
        await heard.promise;
      }
    },
    async end(signal = "SIGTERM") {
      if (child.pid !== undefined) process.kill(child.pid, signal);
      return await outcome;
    },
  };
}

/** Runs a command to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return await start(args, options).outcome;
}

/** Runs a command until it says that it serves. */
export async function serve(args: readonly string[], options: RunOptions = {}): Promise<Serving> {
  const isCold = !(options.isWarmed || args.some((arg) => arg.startsWith("--bucket")));
  const { child, said, outcome } = start([...args, ...isCold ? ["--no-warm-up"] : []], options);
  const ended = outcome.then(({ status, stderr }) => {
    throw new Error(`The command ended with status ${status}: ${stderr}`);
  });
  ended.catch(() => {});
  const stdout = await Promise.race([said, ended]);
  return {
    stdout,
    urls: [...stdout.matchAll(/^Serving (.*)$/gm)].map(([, url]) => url ?? ""),
    deafen() {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    },
    async end(signal = "SIGTERM") {
      // Not child.kill: after it Deno tells of the signal whatever the child's own status was.
      if (child.pid !== undefined) process.kill(child.pid, signal);
      return await outcome;
    },
  };
}

/**
 * Runs a command until it says that it serves. Both its outputs are one pipe, of which nobody reads any more
 * then.
 *
 * @param path Of the pipe, which is made.
 */
export async function serveUnread(
  path: string,
  args: readonly string[],
): Promise<Pick<Serving, "urls" | "end">> {
  execFileSync("mkfifo", [path]);
  const pipe = openSync(path, "r+");
  // Opened for itself: the child makes its own end one that does not block.
  const output = openSync(path, "w");
  const child = startChild([...args, "--no-warm-up"], {}, ["ignore", output, output]);
  const closed = once(child, "close");
  closeSync(output);
  let stdout = "";
  try {
    while (!stdout.includes("Ctrl-C")) {
      const { bytesRead, buffer } = await promisify(read)(pipe, Buffer.alloc(4096), 0, 4096, null);
      stdout += buffer.toString("utf8", 0, bytesRead);
    }
  } catch (error) {
    child.kill();
    throw error;
  }
  return {
    urls: [...stdout.matchAll(/^Serving (.*)$/gm)].map(([, url]) => url ?? ""),
    async end(signal = "SIGTERM") {
      process.kill(child.pid!, signal);
      const [status] = await closed;
      closeSync(pipe);
      return { status, stdout, stderr: "" };
    },
  };
}

function start(args: readonly string[], options: RunOptions) {
  const child = startChild(args, options, ["ignore", "pipe", "pipe"]) as ChildProcessByStdio<
    null,
    Readable,
    Readable
  >;
  const said = Promise.withResolvers<string>();
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
    if (stdout.includes("Ctrl-C")) said.resolve(stdout);
  });
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  return { child, said: said.promise, outcome: endOf(child, () => ({ stdout, stderr })) };
}

function startChild(
  args: readonly string[],
  { env = {}, permissions = ["--allow-all"], checkout = ROOT }: RunOptions,
  stdio: StdioOptions,
): ChildProcess {
  const runtime = "Deno" in globalThis ? ["run", "--quiet", "--no-prompt", "--no-check", ...permissions] : [];
  return spawn(process.execPath, [...runtime, join(checkout, "adapters", "cli", "main.ts"), ...args], {
    cwd: checkout,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      DENO_DIR: process.env["DENO_DIR"] ?? join(homedir(), ".cache", "deno"),
      ...env,
    },
    stdio,
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
}

async function endOf(child: ChildProcess, output: () => Omit<Outcome, "status">): Promise<Outcome> {
  const [status] = await once(child, "close");
  requireCaught(output().stderr);
  return { status, ...output() };
}
