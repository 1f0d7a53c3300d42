/** From npm and JSR, and from a checkout with nothing but Deno or Bun: the registries are stand-ins. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../support/programs.ts";
import { CONSUMER, expectedLines, homeProgram, makeFolder, mustRun, RUNTIMES } from "./consumer.ts";
import { type Registries, startRegistries } from "./registries.ts";

/** Programs that a machine has beside a runtime. */
const TOOLS = ["sh", "tar", "git", "uname"];

let registries: Registries;
let checkout: string;
before(async () => {
  registries = await startRegistries();
  checkout = join(CONSUMER, "checkout");
  mkdirSync(checkout);
  execFileSync("sh", [
    "-c",
    `git ls-files -co --exclude-standard -z | tar --null -T - -cf - | tar -xf - -C "$0"`,
    checkout,
  ], {
    cwd: ROOT,
  });
});
after(() => registries.close());

/** The environment of a machine with one runtime and an empty home. */
function machineWith(runtime: "node" | "deno" | "bun", name: string): Record<string, string> {
  const folder = makeFolder(`machine_${name}`, { "home/.keep": "" });
  mkdirSync(join(folder, "bin"));
  for (const tool of TOOLS) {
    symlinkSync(
      execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim(),
      join(folder, "bin", tool),
    );
  }
  symlinkSync(realpathOf(runtime), join(folder, "bin", runtime));
  return { PATH: join(folder, "bin"), HOME: join(folder, "home"), NO_COLOR: "1", ...registries.env };
}

function realpathOf(runtime: "node" | "deno" | "bun"): string {
  // `bin.cjs` of the package `deno` needs Node.js; its program does not.
  return runtime === "deno" ? join(ROOT, "node_modules/deno/deno") : realpathSync(RUNTIMES[runtime]);
}

/** Starts a service and answers what it says until it serves; ends it then. */
async function firstWords(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  const [program = "", ...rest] = args;
  const child = spawn(join(env["PATH"] ?? "", program), rest, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let said = "", errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  for await (const text of child.stdout.setEncoding("utf8")) {
    if (/repositories +\d+\n/.test(said += text)) break;
  }
  // The runtime may have started a shell.
  if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  assert.match(said, /Serving http:/, errors);
  return said;
}

const SERVE = ["--demo", "--listen", "127.0.0.1:0"];

describe("a checkout", () => {
  it("starts with nothing but Deno", async () => {
    await firstWords(["deno", "task", "start", ...SERVE], checkout, machineWith("deno", "deno_task"));
  });

  it("starts with nothing but Bun", async () => {
    rmSync(join(checkout, "node_modules"), { recursive: true });
    // Its checksums are those of the real registry.
    rmSync(join(checkout, "package-lock.json"));
    await firstWords(["bun", "run", "start", ...SERVE], checkout, machineWith("bun", "bun_run"));
  });
});

describe("npm's registry", () => {
  it("serves the command to Bun", async () => {
    await firstWords(
      ["bun", "x", "xylem-http", ...SERVE],
      makeFolder("bunx", { "package.json": "{}" }),
      machineWith("bun", "bunx"),
    );
  });

  it("serves the command to Deno", async () => {
    await firstWords(
      ["deno", "run", "--allow-all", "npm:xylem-http", ...SERVE],
      makeFolder("deno_npm", { "a.txt": "" }),
      machineWith("deno", "npm"),
    );
  });
});

describe("JSR", () => {
  it("takes the package with its types checked, and serves it with workers", async () => {
    const env = machineWith("deno", "jsr");
    const deno = join(env["PATH"] ?? "", "deno");
    const args = ["publish", "--quiet", "--allow-dirty", "--no-provenance", "--token", "stand-in"];
    await mustRun(deno, args, { cwd: ROOT, env: { ...env, HOME: process.env["HOME"] ?? "" } });
    const folder = makeFolder("jsr_program", {
      "in.mjs": homeProgram("deno").replace("xylem-http/deno", "jsr:@xylem/http/deno"),
    });
    const expected = await expectedLines();
    const output = await mustRun(deno, ["run", "--allow-all", "--no-lock", join(folder, "in.mjs")], {
      cwd: folder,
      env,
    });
    assert.deepEqual(output.trim().split("\n"), expected);
    await firstWords(["deno", "run", "--allow-all", "jsr:@xylem/http/cli", ...SERVE], folder, env);
  });
});
