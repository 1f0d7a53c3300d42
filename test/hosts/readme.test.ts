/** Every command of the README as it stands there, in a shell. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { ROOT } from "../support/programs.ts";
import { makeFolder } from "./consumer.ts";

/** No command takes longer than this, in milliseconds, on a busy machine either. */
const PATIENCE_MS = 120_000;
/** The address in the README; the tests listen on free ports instead. */
const WRITTEN = "http://127.0.0.1:8080";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text]) => text!.trim());
/** Commands in a checkout that end when a person ends them. */
const starts = commands.filter((text) => /^(?:npm start|bun run start)$/.test(text));
/** Commands for a running service. */
const requests = commands.filter((text) => text.includes(WRITTEN));
/** Commands with a test of their own. */
const TESTED_ELSEWHERE = [
  [/^deno task start$/, "registries.test.ts, in a checkout without the tools of development"],
  [
    /^(?:npx xylem-http|bunx xylem-http|deno run -A npm:xylem-http|deno run -A jsr:@xylem\/http\/cli)$/,
    "registries.test.ts, from stand-ins of npm's registry and of JSR",
  ],
  [/^deno run --allow-read=\$HOME/, "test/interop/terminal.test.ts"],
] as const;

const folder = makeFolder("readme", { "home/.keep": "" });
const env = {
  PATH: [join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
  HOME: join(folder, "home"),
  PORT: "0",
  NO_COLOR: "1",
  // npm asks its registry for a newer npm otherwise.
  npm_config_update_notifier: "false",
};

/** Runs a start until it serves, and `use` with its address. */
async function whileServing(
  command: string,
  use: (url: string) => void | Promise<void>,
) {
  const child = spawn("sh", ["-c", command], {
    cwd: ROOT,
    env,
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
    assert.deepEqual([starts.length, requests.length], [2, 4]);
  });

  for (const command of starts) {
    it(`start a service: ${command}`, async () => {
      await whileServing(command, async (url) => assert.equal((await fetch(`${url}/`)).status, 200));
    });
  }

  it("show repositories and a history of a running service, sign in, and clone", async () => {
    await whileServing("npm start", (url) => {
      const run = (command: string, cwd = ROOT) =>
        execFileSync("sh", ["-c", command], { cwd, env, encoding: "utf8", timeout: PATIENCE_MS });
      const [projects, commits, session, clone] = requests.map((text) =>
        // The command that signs in has the address of the README as its default.
        text.replaceAll(WRITTEN, url).replace("session --demo", `session --demo --base ${url}`)
      );
      assert.ok(JSON.parse(run(projects!)).length >= 2);
      assert.equal(JSON.parse(run(commits!)).commits.length, 3);
      assert.equal(JSON.parse(run(session!)).status, "authorized");
      run(`${commits!.split("\n")[0]}\n${clone} project`, folder);
      assert.ok(existsSync(join(folder, "project", "README.md")));
    });
  });
});
