/** Every command of the README, and of the documents for operators, as it stands there, in a shell. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { folderOnDisk, removeFolder, ROOT } from "../support/programs.ts";
import { startVersitygw } from "../support/servers.ts";
import { makeFolder } from "./consumer.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** The address in the README; the tests listen on free ports instead. */
const WRITTEN = "http://127.0.0.1:8080";

const DOCUMENTS = ["README.md", "docs/command.md", "docs/operate.md", "docs/replicas.md"];
const texts = DOCUMENTS.map((name) => readFileSync(join(ROOT, name), "utf8")).join("\n");
const commands = [
  ...new Set(Array.from(texts.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, text]) => text!.trim())),
];
/** Commands in a checkout that end when a person ends them. */
const starts = commands.filter((text) => /^(?:npm start|bun run start)$/.test(text));
/** Commands for a running service. */
const requests = commands.filter((text) => text.includes(WRITTEN));
/** The bucket in the documents; the tests have one of their own. */
const WRITTEN_BUCKET = "s3://name/prefix";
/** Commands that publish to a bucket, and serve from one. */
const ofBuckets = commands.filter((text) => text.includes(WRITTEN_BUCKET));
/** Commands with a test of their own. */
const TESTED_ELSEWHERE = [
  [/^deno task start$/, "registries.test.ts, in a checkout without the tools of development"],
  [
    /^(?:npx xylem-http|bunx xylem-http|deno run -A npm:xylem-http|deno run -A jsr:@xylem\/http\/cli)$/,
    "registries.test.ts, from stand-ins of npm's registry and of JSR",
  ],
  [/^deno run --allow-read=\$HOME/, "test/interop/terminal.test.ts"],
  [/^git clone https:\/\/bucket\.example\.org\/z/, "test/extensions/replicas/replica/clones.test.ts"],
] as const;

const folder = makeFolder("readme", {
  "home/.keep": "",
  "bin/xylem": `#!/bin/sh\nexec node ${ROOT}/adapters/cli/main.ts "$@"\n`,
});
chmodSync(join(folder, "bin/xylem"), 0o755);
const env = {
  PATH: [join(ROOT, "node_modules/.bin"), join(folder, "bin"), process.env["PATH"]].join(delimiter),
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
  variables: Readonly<Record<string, string>> = {},
) {
  await whileRunning(command, "Ctrl-C", variables, async (said) => {
    const url = /Serving (http:\S+)/.exec(said)?.[1];
    assert.ok(url !== undefined, `${command}: ${said}`);
    await use(url);
  });
}

/** Runs a command until it has printed `mark`, and `use` with all that it has printed. */
async function whileRunning(
  command: string,
  mark: string,
  variables: Readonly<Record<string, string>>,
  use: (said: string) => void | Promise<void>,
) {
  const child = spawn("sh", ["-c", command], {
    cwd: ROOT,
    env: { ...env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let said = "", errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  try {
    for await (const text of child.stdout.setEncoding("utf8")) if ((said += text).includes(mark)) break;
    assert.ok(said.includes(mark), `${command}: ${said}${errors}`);
    await use(said);
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

/** Names of the repositories that everybody may see: two in the demo home. */
async function publicProjects(url: string): Promise<readonly string[]> {
  const projects = await (await fetch(`${url}/api/v1/projects`)).json() as {
    readonly name: string;
    readonly visibility: { readonly type: string };
  }[];
  const names = projects.filter(({ visibility }) => visibility.type === "public").map(({ name }) => name);
  assert.equal(names.length, 2);
  return names;
}

describe("the commands of the documents", () => {
  it("are known here, all of them", () => {
    const known = [...starts, ...requests, ...ofBuckets];
    const others = commands.filter((text) =>
      !known.includes(text) && !TESTED_ELSEWHERE.some(([pattern]) => pattern.test(text))
    );
    assert.deepEqual(others, []);
    assert.deepEqual([starts.length, requests.length, ofBuckets.length], [2, 4, 2]);
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
      // The ids in a demo home, and so the order, are other ones each time: the last repository may have one commit.
      const history = JSON.parse(run(commits!));
      assert.equal(history.commits.length, Math.min(3, history.stats.commits));
      assert.equal(JSON.parse(run(session!)).status, "authorized");
      run(`${commits!.split("\n")[0]}\n${clone} project`, folder);
      assert.equal(run("git -C project rev-parse HEAD", folder).trim(), history.commits[0].commit.id);
    });
  });

  it("publish a home to an S3 server, and serve it from there", async () => {
    const onDisk = folderOnDisk("readme-s3");
    const s3 = await startVersitygw(onDisk);
    try {
      const [publish, serve] = ofBuckets.map((text) =>
        text.replace(WRITTEN_BUCKET, `s3://${s3.options.bucket}/prefix`)
      );
      await whileServing("npm start", async (home) => {
        const variables = { ...s3.variables, RAD_HOME: join(folder, "home/.cache/xylem/demo-1") };
        await whileRunning(publish!, `"event":"round"`, variables, async () => {
          await whileServing(serve!, async (replica) => {
            assert.deepEqual(await publicProjects(replica), await publicProjects(home));
          }, s3.variables);
        });
      });
    } finally {
      await s3.stop();
      removeFolder(onDisk);
    }
  });
});
