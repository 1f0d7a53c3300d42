/** A project that uses the packed package, and the programs in it. Made by `run.ts`. */
import assert from "node:assert/strict";
import { execFile, type ExecFileOptions } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import process from "node:process";
import { createHomeApi } from "../../adapters/node/mod.ts";
import { ROOT } from "../support/programs.ts";
import { CONSUMER_VARIABLE } from "./project.ts";

/** Time after which a program of these tests hangs, in milliseconds. */
const PROGRAM_LIMIT_MS = 300_000;

/** The folder of the project: `node_modules` with the packed package, its dependencies, and all hosts. */
export const CONSUMER: string = process.env[CONSUMER_VARIABLE] ?? missing();

/** The home of the project, with a diff for which workers are needed, and one for which libgit2 is. */
export const HOME: string = join(CONSUMER, "browse");

function missing(): never {
  throw new Error("Run the tests of hosts with: npm run hosts");
}

/** The end of a program. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the project to its end, whatever its status. */
export function run(program: string, args: readonly string[], options: ExecFileOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const all = { cwd: CONSUMER, timeout: PROGRAM_LIMIT_MS, maxBuffer: 2 ** 26, ...options };
    const child = execFile(program, args, { ...all, encoding: "utf8" }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** Runs a program that must not fail, and answers what it wrote to stdout. */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const { status, stdout, stderr } = await run(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${status}\n${stdout}\n${stderr}`);
  return stdout;
}

/** Node.js of the work tree, and the other runtimes. */
export const RUNTIMES: Readonly<Record<"node" | "deno" | "bun", string>> = {
  node: join(ROOT, "node_modules/.bin/node"),
  deno: join(ROOT, "node_modules/.bin/deno"),
  bun: join(ROOT, "node_modules/.bin/bun"),
};

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Makes a folder of the project with files in it, by name; returns its path. */
export function makeFolder(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(CONSUMER, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** Requests whose answers are compared: lists, history with its diffs, a diff that takes a worker. */
export const PATHS: readonly string[] = JSON.parse(readFileSync(join(CONSUMER, "paths.json"), "utf8"));

/** The page for browsers is compared, too; other answers do not depend on this field. */
const PATHS_AND_PAGE: readonly string[] = [...PATHS, "/"];
const BROWSER = { headers: { accept: "text/html" } };

/** The answers of the work tree to {@link PATHS}, and its page: a line each, with status and digest. */
export async function expectedLines(): Promise<string[]> {
  const { api, close } = await createHomeApi({ home: HOME, page: true });
  const lines: string[] = [];
  for (const path of PATHS_AND_PAGE) {
    const response = await api.fetch(new Request(`http://localhost${path}`, BROWSER));
    assert.equal(response.status, 200, path);
    lines.push(await lineOf(response));
  }
  await close();
  return lines;
}

/** Status and digest of an answer, as {@link HOME_PROGRAM} prints them. */
export async function lineOf(response: Response): Promise<string> {
  const body = new Uint8Array(await response.arrayBuffer());
  return `${response.status} ${createHash("sha256").update(body).digest("hex")}`;
}

/**
 * A program that answers {@link PATHS} from the API of {@link HOME}, and the page: a line each, like that of
 * {@link lineOf}, then lines of the log.
 *
 * @param options Members of the options of `createHomeApi`, as source text.
 */
export function homeProgram(runtime: keyof typeof RUNTIMES, options = ""): string {
  return `
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createHomeApi } from "xylem-http/${runtime}";

async function main() {
  const log = (level, message) => logged.push(\`\${level} \${message}\`);
  const logged = [];
  const { api, close } = await createHomeApi({ page: true, home: ${
    JSON.stringify(HOME)
  }, environment: { log }, ${options} });
  for (const path of ${JSON.stringify(PATHS_AND_PAGE)}) {
    const response = await api.fetch(new Request("http://localhost" + path, ${JSON.stringify(BROWSER)}));
    const digest = createHash("sha256").update(new Uint8Array(await response.arrayBuffer())).digest("hex");
    console.log(response.status + " " + digest);
  }
  await close();
  for (const line of logged) console.log(line);
}
void main();
`;
}
