/** Starts processes that write, on the runtime that runs the test. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Runtime, runtimeCommand } from "./programs.ts";

/** The reference that all processes change. */
export const MAIN = "refs/heads/main";

/** The reference of a process to one of its commits. */
export function ownRef(name: string, commit: string): string {
  return `refs/namespaces/${name}/refs/cobs/kind/${commit}`;
}

/** A process that writes. */
export interface WritingChild {
  /** Commits that it has reported as durable. */
  readonly commits: readonly string[];
  /** Its standard error so far. */
  errors(): string;
  /** Kills it immediately. */
  kill(): void;
  /**
   * Resolves with its exit status when it has ended and all its output was read, or with `null` if it was
   * killed.
   */
  readonly ended: Promise<number | null>;
}

/** Starts a process that makes `count` changes; `heard` is called for each reported change. */
export function startWriting(
  root: string,
  name: string,
  count: number,
  heard: (child: WritingChild) => void = () => {},
): WritingChild {
  const script = fileURLToPath(new URL("./writing_child.ts", import.meta.url));
  const [program, ...args] = runtimeCommand(runtime(), script);
  const process = spawn(program, [...args, root, name, String(count)], { stdio: ["ignore", "pipe", "pipe"] });
  const commits: string[] = [];
  let rest = "";
  let errors = "";
  process.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  const child: WritingChild = {
    commits,
    errors: () => errors,
    kill: () => void process.kill("SIGKILL"),
    ended: new Promise((resolve) => process.on("close", (status) => resolve(status))),
  };
  process.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      commits.push(line);
      heard(child);
    }
  });
  return child;
}

/** A process that holds a lock. */
export interface HoldingChild {
  /** Kills it immediately. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Lets it finish. Resolves with its exit status. */
  finish(): Promise<number | null>;
}

/** Starts a process that points a new reference to a commit; resolves when it holds the reference's lock. */
export function startLocking(root: string, name: string, commit: string): Promise<HoldingChild> {
  return startHolding("lock", root, name, commit);
}

/** Starts a process that takes a file lock; resolves when it holds it. */
export function startFileLocking(path: string, kind: "shared" | "exclusive"): Promise<HoldingChild> {
  return startHolding(kind, path);
}

async function startHolding(...what: string[]): Promise<HoldingChild> {
  const script = fileURLToPath(new URL("./holding_child.ts", import.meta.url));
  const [program, ...args] = runtimeCommand(runtime(), script);
  const child = spawn(program, [...args, ...what], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close").then(([status]) => status as number | null);
  const hasEnded = await Promise.race([once(child.stdout, "data").then(() => false), ended.then(() => true)]);
  if (hasEnded) throw new Error(`The process has ended before it held its ${what[0]}`);
  return {
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async finish() {
      child.stdin.end("\n");
      return await ended;
    },
  };
}

function runtime(): Runtime {
  return "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node";
}
