/** The commands of docs/command.md for npm, JSR and a checkout, where nothing but one runtime is installed: the registries are stand-ins. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { removeFolder, ROOT, temporaryFolder } from "../support/programs.ts";
import { CONSUMER, expectedLines, homeProgram, makeFolder, mustRun, RUNTIMES } from "./consumer.ts";
import { type Registries, startRegistries } from "./registries.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** Programs that a machine has beside a runtime. */
const TOOLS = ["sh", "tar", "git", "uname"];
/** Programs that come with a runtime, in its folder. */
const BESIDE = { node: ["npm", "npx"], deno: [], bun: ["bunx"] } as const;

const document = readFileSync(join(ROOT, "docs/command.md"), "utf8");
/** A folder without packages in sight. */
const empty = temporaryFolder("registries");
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
after(() => {
  registries.close();
  removeFolder(empty);
  assert.deepEqual(registries.foreign, []);
});

/** The environment of a machine with one runtime and an empty home. */
function machineWith(runtime: "node" | "deno" | "bun", name: string): Record<string, string> {
  const folder = makeFolder(`machine_${name}`, { "home/.keep": "" });
  mkdirSync(join(folder, "bin"));
  for (const tool of TOOLS) symlinkSync(placeOf(tool), join(folder, "bin", tool));
  symlinkSync(realpathOf(runtime), join(folder, "bin", runtime));
  for (const name of BESIDE[runtime]) {
    const program = runtime === "bun" ? realpathOf("bun") : realpathSync(placeOf(name));
    symlinkSync(program, join(folder, "bin", name));
  }
  return { PATH: join(folder, "bin"), HOME: join(folder, "home"), NO_COLOR: "1", ...registries.env };
}

/** Where this machine has a program. */
function placeOf(name: string): string {
  return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
}

function realpathOf(runtime: "node" | "deno" | "bun"): string {
  // `bin.cjs` of the package `deno` needs Node.js; its program does not.
  return runtime === "deno" ? join(ROOT, "node_modules/deno/deno") : realpathSync(RUNTIMES[runtime]);
}

/**
 * Pastes a command of the document into a shell, and ends the service when it serves. It makes a demo home: the
 * machine has none.
 */
async function startsWith(command: string, cwd: string, env: Record<string, string>): Promise<void> {
  assert.ok(document.includes(`\`\`\`sh\n${command}\n\`\`\`\n`), `${command} is not in docs/command.md`);
  const child = spawn(join(env["PATH"] ?? "", "sh"), ["-c", command], {
    cwd,
    env: { ...env, PORT: "0", npm_config_yes: "true" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const end = () => {
    try {
      // The shell has started other programs.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All have ended.
    }
  };
  const timer = setTimeout(end, PATIENCE_MS);
  let said = "", errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  try {
    for await (const text of child.stdout.setEncoding("utf8")) if ((said += text).includes("Ctrl-C")) break;
    const url = /Serving (http:\S+)/.exec(said)?.[1] ?? assert.fail(`${command}: ${said}${errors}`);
    const projects = await (await fetch(`${url}/api/v1/projects`)).json();
    assert.ok(projects.length >= 2);
  } finally {
    clearTimeout(timer);
    end();
  }
}

describe("a checkout", () => {
  /** Two first starts at once: one of them installs, the other one waits for it. */
  async function startsTwiceWith(command: string, env: Record<string, string>): Promise<void> {
    await Promise.all([1, 2].map(() => startsWith(command, checkout, env)));
  }

  it("starts with nothing but Deno, twice at once", async () => {
    await startsTwiceWith("deno task start", machineWith("deno", "deno_task"));
  });

  it("starts with nothing but Bun, twice at once", async () => {
    rmSync(join(checkout, "node_modules"), { recursive: true });
    // Its checksums are those of the real registry.
    rmSync(join(checkout, "package-lock.json"));
    await startsTwiceWith("bun run start", machineWith("bun", "bun_run"));
  });
});

describe("npm's registry", () => {
  it("serves the command to Node.js", async () => {
    await startsWith("npx xylem-http", empty, machineWith("node", "npx"));
  });

  it("serves the command to Bun", async () => {
    await startsWith("bunx xylem-http", empty, machineWith("bun", "bunx"));
  });

  it("serves the command to Deno", async () => {
    await startsWith("deno run -A npm:xylem-http", empty, machineWith("deno", "npm"));
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
    await startsWith("deno run -A jsr:@xylem/http/cli", empty, env);
  });
});
