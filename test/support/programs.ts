/**
 * Programs and homes of tests: our own service on each runtime, the real Radicle programs of two generations
 * (installed by `test/interop/install.sh`), and the stored fixture homes.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type NetConnectOpts } from "node:net";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseRid, type RepoId } from "../../src/ids/rid.ts";
import { UNCAUGHT_EXCEPTION, UNHANDLED_REJECTION } from "../../adapters/cli/service.ts";

/** The root of the work tree. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The runtimes that our service supports. */
export const RUNTIMES = ["node", "deno", "bun"] as const;
export type Runtime = typeof RUNTIMES[number];

/**
 * The real programs: `0.10` of 2024 has the last `radicle-httpd` of API v1, `newest` is the newest release
 * (pinned in install.sh).
 */
export const GENERATIONS = ["0.10", "newest"] as const;
export type Generation = typeof GENERATIONS[number];

/**
 * Releases with a `radicle-httpd` of API v1. `2024-02` is of 5 February 2024, only for benchmarks
 * (`test/interop/install_2024.sh`).
 */
export type HttpdGeneration = "0.10" | "2024-02";

/** Timeout from the start of a program to its first accepted connection. */
const START_LIMIT_MS = 120_000;
/** Pause between two attempts to connect to a program that does not report when it listens. */
const CONNECT_PAUSE_MS = 20;
/** Characters of a running program's output that stay in memory, the newest part. */
const OUTPUT_KEPT = 1024 * 1024;
/** Maximum output of one command. */
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
/** Time from SIGTERM until a program is killed, far more than a program needs to end by itself. */
const STOP_LIMIT_MS = 120_000;

/** A running program. */
export interface Running {
  /** Its process id. */
  readonly pid: number;
  /** Its output so far, stdout and stderr. */
  output(): string;
  /** Its exit status; `null` when it was killed. */
  readonly ended: Promise<number | null>;
  /** Ends it with SIGTERM. Resolves with its exit status, or `null` if it had to be killed. */
  stop(): Promise<number | null>;
}

/** A running program that answers HTTP. */
export interface Service extends Running {
  /** Base URL without a final slash, `http://127.0.0.1:41234`. */
  readonly url: string;
}

/** A Radicle home used by one generation of the real programs. */
export interface RadHome {
  readonly home: string;
  /** Runs `rad` in the folder `cwd`; returns its stdout, and throws with all its output on failure. */
  rad(cwd: string, ...args: string[]): string;
  /** Runs `git` in the folder `cwd`, with the remote helper of this generation and this home. */
  git(cwd: string, ...args: string[]): string;
  /** Makes a project of the working copy in the folder `cwd`; returns its id. */
  init(cwd: string, name: string, options?: InitOptions): RepoId;
}

/** Options of {@link RadHome.init}. */
export interface InitOptions {
  /** The name by default. */
  readonly description?: string;
  readonly branch?: string;
  /** `--public` by default. */
  readonly flags?: readonly string[];
}

/** Folder of the real programs, with one folder per generation. */
export function programsFolder(): string {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return process.env["XYLEM_PROGRAMS"] || join(cache, "xylem", "programs");
}

/** Path of the real program `name`; throws with the command that installs it when it is missing. */
export function realProgram(generation: Generation | HttpdGeneration, name: string): string {
  const path = programPath(generation, name);
  if (!existsSync(path)) {
    throw new Error(
      `Real programs are missing: no ${name} of ${generation}. Run: sh test/interop/install.sh`,
    );
  }
  return path;
}

/** The name of a `radicle-httpd` in tables. */
export function httpdTitle(generation: HttpdGeneration): string {
  return generation === "0.10" ? "radicle-httpd 0.10.0" : "radicle-httpd of February 2024";
}

/** The fastest `radicle-httpd` that is installed. */
export function fastestHttpd(): HttpdGeneration {
  return existsSync(programPath("2024-02", "radicle-httpd")) ? "2024-02" : "0.10";
}

function programPath(generation: Generation | HttpdGeneration, name: string): string {
  return join(programsFolder(), generation, "bin", name);
}

/**
 * Creates a folder for one test file; the name identifies the test when a killed run leaves the folder
 * behind.
 */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `xylem-${name}-`));
}

/**
 * Creates a folder like `temporaryFolder` that is not on a RAM disk (see test/fast.sh), because Deno needs
 * all permissions to read files below /dev.
 */
export function folderOnDisk(name: string): string {
  return mkdtempSync(join(process.env["XYLEM_TEST_DISK"] ?? tmpdir(), `xylem-${name}-`));
}

/** Removes a folder of `temporaryFolder` or `folderOnDisk`. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Unpacks `test/fixtures/<archive>` (`today/ten-collab.tar.gz`) below `into`; returns the path of the home.
 */
export function unpackHome(archive: string, into: string): string {
  execFileSync("tar", ["-xzf", join(ROOT, "test", "fixtures", archive), "-C", into]);
  return join(into, archive.replace(/^.*\//, "").replace(/\.tar\.gz$/, ""));
}

/** The command line that runs the file `script` on a runtime, on Deno with all permissions or with some. */
export function runtimeCommand(
  runtime: Runtime,
  script: string,
  permissions: readonly string[] = ["--allow-all"],
): [string, ...string[]] {
  const program = join(ROOT, "node_modules", ".bin", runtime);
  return runtime === "deno" ? [program, "run", "--no-prompt", ...permissions, script] : [program, script];
}

/**
 * Starts our service on a home and a free port, without the warm-up, which takes up to two seconds of
 * processor time. The parameters are the same as of {@link startWarmService}.
 */
export async function startService(
  ...[runtime, home, args = [], ...others]: Parameters<typeof startWarmService>
): Promise<Service> {
  return await startWarmService(runtime, home, ["--no-warm-up", ...args], ...others);
}

/**
 * Starts our service on a home and a free port, as users start it, for tests that measure waiting times.
 * `args` are further options of `xylem serve`, `env` further variables, `permissions` the permissions of
 * Deno, `command` the module of the command. Indexes are not saved unless `args` name a folder.
 */
export async function startWarmService(
  runtime: Runtime,
  home: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  permissions?: readonly string[],
  command?: string,
): Promise<Service> {
  return await startServing(runtime, ["--home", home, ...args], env, permissions, command);
}

/**
 * Starts our service on a bucket and a free port, like {@link startService}.
 *
 * @param bucket As in the command: a folder, or `s3://…` with the variables of S3 in `env`.
 */
export async function startBucketService(
  runtime: Runtime,
  bucket: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  return await startServing(runtime, ["--bucket", bucket, ...args], env);
}

async function startServing(
  runtime: Runtime,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  permissions?: readonly string[],
  command: string = join(ROOT, "adapters", "cli", "main.ts"),
): Promise<Service> {
  const words = runtimeCommand(runtime, command, permissions);
  const cache = args.includes("--cache") ? [] : ["--cache", "none"];
  const running = spawnProgram([...words, "serve", "--listen", "127.0.0.1:0", ...cache, ...args], env);
  const urlIn = () => /http:\/\/127\.0\.0\.1:\d+/.exec(running.output())?.[0];
  await listening(running, `xylem on ${runtime}`, () => portOf(urlIn()));
  return { ...withoutFaults(running), url: urlIn()! };
}

/** A program whose `stop` fails if it has logged an uncaught error. */
function withoutFaults<R extends Running>(running: R): R {
  const stop = async () => {
    const status = await running.stop();
    requireCaught(running.output());
    return status;
  };
  return { ...running, stop };
}

/** Throws when a log has an uncaught error. */
export function requireCaught(output: string): void {
  const line = output.split("\n").find((line) =>
    line.includes(UNHANDLED_REJECTION) || line.includes(UNCAUGHT_EXCEPTION)
  );
  if (line !== undefined) throw new Error(`The service has logged: ${line}`);
}

/**
 * Starts the command of a container on this machine, and waits until it serves.
 *
 * @param words Module and arguments.
 */
export async function startContained(
  runtime: Runtime,
  [script = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Service> {
  const running = spawnProgram([...runtimeCommand(runtime, join(ROOT, script)), ...args], env);
  const urlIn = () => /http:\/\/127\.0\.0\.1:\d+/.exec(running.output())?.[0];
  await listening(running, `${args.join(" ")} on ${runtime}`, () => portOf(urlIn()));
  return { ...withoutFaults(running), url: urlIn()! };
}

/** Starts `deno serve` on a module, with permission only for the network and these variables. */
export async function startDenoServe(
  module: string,
  env: Readonly<Record<string, string>>,
): Promise<Service> {
  const options = [
    "--no-check",
    "--no-prompt",
    "--allow-env",
    "--allow-net",
    "--host",
    "127.0.0.1",
    "--port",
    "0",
  ];
  const command = [join(ROOT, "node_modules", ".bin", "deno"), "serve", ...options, module];
  const running = spawnProgram(command, { ...env, NO_COLOR: "1" });
  const urlIn = () => /http:\/\/127\.0\.0\.1:\d+/.exec(running.output())?.[0];
  await listening(running, module, () => portOf(urlIn()));
  return { ...running, url: urlIn()! };
}

/** Starts `radicle-httpd` on a home and a free port. */
export async function startHttpd(home: string, generation: HttpdGeneration = "0.10"): Promise<Service> {
  const port = await freePort();
  const program = [realProgram(generation, "radicle-httpd"), "--listen", `127.0.0.1:${port}`];
  const running = spawnProgram(program, { RAD_HOME: home });
  await listening(running, "radicle-httpd", () => ({ port, host: "127.0.0.1" }));
  return { ...running, url: `http://127.0.0.1:${port}` };
}

/**
 * Starts a real node on a home with an unencrypted key; its addresses are in the `config.json` of the home.
 */
export async function startNode(generation: Generation, home: string): Promise<Running> {
  const socket = join(home, "node", "control.sock");
  const running = spawnProgram([realProgram(generation, "radicle-node")], { RAD_HOME: home });
  await listening(running, "radicle-node", () => ({ path: socket }));
  const stop = async () => {
    const status = await running.stop();
    // The socket accepts before the node handles signals: a node stopped in between leaves the socket, and
    // the next one would not start.
    rmSync(socket, { force: true });
    return status;
  };
  return { ...running, stop };
}

/**
 * Creates a Radicle home below `folder` with an unencrypted key derived from `seed` (64 hex digits): the same
 * seed gives the same node id.
 */
export function createRadHome(
  generation: Generation | HttpdGeneration,
  folder: string,
  options: { alias: string; seed: string },
): RadHome {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const rad = openRadHome(generation, home, options.alias, { RAD_KEYGEN_SEED: options.seed });
  rad.rad(folder, "auth", "--alias", options.alias);
  return openRadHome(generation, home, options.alias);
}

/**
 * Opens an existing home for commands of one generation; commits are by `<name> <name@example.org>`. `env` is
 * added to the environment of every command.
 */
export function openRadHome(
  generation: Generation | HttpdGeneration,
  home: string,
  name: string,
  env: Record<string, string> = {},
): RadHome {
  const rad = realProgram(generation, "rad");
  const environment = {
    ...plainEnvironment(),
    PATH: `${dirname(rad)}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: home,
    RAD_HOME: home,
    RAD_PASSPHRASE: "",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "init.defaultBranch",
    GIT_CONFIG_VALUE_0: "main",
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: `${name}@example.org`,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: `${name}@example.org`,
    GIT_TERMINAL_PROMPT: "0",
    ...env,
  };
  const run = (program: string, cwd: string, args: string[]) => {
    const done = spawnSync(program, args, {
      cwd,
      env: environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: OUTPUT_LIMIT_BYTES,
    });
    if (done.error) throw done.error;
    if (done.status !== 0) {
      throw new Error(`${program} ${args.join(" ")} ended with ${done.status}\n${done.stdout}${done.stderr}`);
    }
    return done.stdout;
  };
  return {
    home,
    rad: (cwd, ...args) => run(rad, cwd, args),
    git: (cwd, ...args) => run("git", cwd, args),
    init(cwd, name, { description = name, branch = "main", flags = ["--public"] } = {}) {
      const described = ["--name", name, "--description", description, "--default-branch", branch];
      run(rad, cwd, ["init", ...described, "--no-confirm", ...flags]);
      return parseRid(run(rad, cwd, ["inspect", "--rid"]).trim());
    },
  };
}

function plainEnvironment(): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "TEMP", "LANG", "SystemRoot", "NODE_COMPILE_CACHE"];
  const entries = kept.flatMap((name) => process.env[name] === undefined ? [] : [[name, process.env[name]]]);
  return { ...Object.fromEntries(entries), USER: "tester", TZ: "UTC" };
}

/** A started program. It is killed when this process ends. */
export interface Spawned extends Running {
  hasEnded(): boolean;
}

/** Starts a program in the background with a plain environment and `env`. */
export function spawnProgram([program, ...args]: string[], env: Readonly<Record<string, string>>): Spawned {
  const child = spawn(program!, args, {
    cwd: ROOT,
    env: { ...plainEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const killed = () => child.kill("SIGKILL");
  process.once("exit", killed);
  let output = "", ended = false;
  const exit = once(child, "exit").then(([status]) => {
    ended = true;
    process.removeListener("exit", killed);
    return status as number | null;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output = (output + text).slice(-OUTPUT_KEPT));
  }
  return {
    output: () => output,
    hasEnded: () => ended,
    ended: exit,
    pid: child.pid ?? 0,
    stop: async () => {
      if (!ended) child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      return await exit.finally(() => clearTimeout(timer));
    },
  };
}

/**
 * Waits until a started program accepts connections at an address, which may only be known from its output.
 */
async function listening(
  running: Spawned,
  name: string,
  address: () => NetConnectOpts | undefined,
): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (!running.hasEnded() && Date.now() < deadline) {
    const known = address();
    if (known && await accepts(known)) return;
    await new Promise((resolve) => setTimeout(resolve, CONNECT_PAUSE_MS));
  }
  await running.stop();
  throw new Error(`${name} does not listen: ${running.output().trim() || "no output"}`);
}

/** Whether a socket accepts connections. */
export function accepts(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.on("connect", () => (socket.destroy(), resolve(true)));
    socket.on("error", () => resolve(false));
  });
}

function portOf(url: string | undefined): NetConnectOpts | undefined {
  return url === undefined ? undefined : { port: Number(new URL(url).port), host: "127.0.0.1" };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}
