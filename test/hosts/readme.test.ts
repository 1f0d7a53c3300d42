/** Every command of the README as it stands there, in a shell. The registries are stand-ins. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../support/programs.ts";
import { makeFolder } from "./consumer.ts";
import { type Registries, startRegistries } from "./registries.ts";

/** No command takes longer than this, in milliseconds, on a busy machine either. */
const PATIENCE_MS = 120_000;
/** The address in the README; the tests listen on free ports instead. */
const WRITTEN = "http://127.0.0.1:8080";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text]) => text!.trim());
/** Commands that end when a person ends them, and the folder that they are for. */
const starts = commands.filter((text) =>
  /^(?:npm start|bun run start|deno run)\b/.test(text) && !/\$HOME|jsr:/.test(text)
);
/** Commands for a running service. */
const requests = commands.filter((text) => text.includes(WRITTEN) && !text.includes("git clone"));
/** Commands with a test of their own. */
const TESTED_ELSEWHERE = [
  [/^deno task start$/, "registries.test.ts, in a checkout without the tools of development"],
  [/^deno run -A jsr:@xylem\/http\/cli$/, "registries.test.ts, from a stand-in of JSR"],
  [/^bunx xylem-http$/, "registries.test.ts, as bun x"],
  [/^npx xylem-http$/, "test/build.test.ts runs the file that npx would run"],
  [/^git clone http/, "test/interop: clones by the real git"],
  [/^deno run --allow-read=\$HOME/, "test/interop/terminal.test.ts"],
] as const;

let registries: Registries;
let env: Record<string, string | undefined>;
before(async () => {
  registries = await startRegistries();
  const home = join(makeFolder("readme", { "home/.keep": "" }), "home");
  const PATH = [join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const DENO_DIR = process.env["DENO_DIR"] ?? join(homedir(), ".cache", "deno");
  env = { PATH, HOME: home, DENO_DIR, PORT: "0", NO_COLOR: "1", npm_config_yes: "true" };
});
after(() => registries.close());

/** Runs a start until it serves, and `use` with its address. */
async function whileServing(
  command: string,
  cwd: string,
  use: (url: string) => void | Promise<void>,
  variables: Readonly<Record<string, string>> = {},
) {
  const child = spawn("sh", ["-c", command], {
    cwd,
    env: { ...env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let said = "", errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  try {
    for await (const text of child.stdout.setEncoding("utf8")) if ((said += text).includes("Ctrl-C")) break;
    const url = /Serving (http:\S+)/.exec(said)?.[1];
    assert.ok(url !== undefined, `${command}: ${said}${errors}`);
    await use(url);
  } finally {
    clearTimeout(timer);
    // The shell has started others.
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All have ended.
    }
  }
}

describe("the commands of the README", () => {
  it("are known here, all of them", () => {
    const known = [...starts, ...requests];
    const others = commands.filter((text) =>
      !known.includes(text) && !TESTED_ELSEWHERE.some(([pattern]) => pattern.test(text))
    );
    assert.deepEqual(others, []);
    assert.deepEqual([starts.length, requests.length], [3, 3]);
  });

  for (const command of starts) {
    it(`start a service: ${command}`, async () => {
      const isOfCheckout = command.includes("start");
      const cwd = isOfCheckout
        ? ROOT
        : makeFolder(`readme_${command.split(" ")[0]}`, { "package.json": "{}" });
      await whileServing(command, cwd, async (url) => assert.equal((await fetch(`${url}/`)).status, 200));
    });
  }

  it("show repositories and a history of a running service, and sign in", async () => {
    await whileServing("npm start", ROOT, (url) => {
      const run = (command: string) =>
        execFileSync("sh", ["-c", command], { cwd: ROOT, env, encoding: "utf8", timeout: PATIENCE_MS });
      const [projects, commits, session] = requests.map((text) => {
        // The command that signs in has the address of the README as its default.
        const placed = text.replaceAll(WRITTEN, url).replace(
          "session --demo",
          `session --demo --base ${url}`,
        );
        return JSON.parse(run(placed));
      });
      assert.ok(projects.length >= 2);
      assert.equal(commits.commits.length, 3);
      assert.equal(session.status, "authorized");
    });
  });
});
