/** deploy/Containerfile, built and run by buildah where the machine allows containers: on files of this Debian, without any registry. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { removeFolder, ROOT, temporaryFolder, unpackHome } from "../support/programs.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** The user `node` of the official images. */
const NODE_USER = 1000;
/** Places of the volumes of deploy/compose.yaml, which get the owner of these folders. */
const FOLDERS_IN_IMAGE = ["/var/cache/xylem", "/var/lib/xylem"];

const folder = temporaryFolder("container");
after(() => removeFolder(folder));

const run = (program: string, args: readonly string[]) =>
  execFileSync(program, args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MS,
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
  }).trim();
const PLACES = [
  "--root",
  join(folder, "images"),
  "--runroot",
  join(folder, "run"),
  "--storage-driver",
  "vfs",
];
const buildah = (...args: string[]) => run("buildah", [...PLACES, ...args]);

/** Why no container can run here; `undefined` if one can. */
function obstacle(): string | undefined {
  try {
    const container = buildah("from", "scratch");
    const files = join(folder, "probe");
    addPrograms(files, ["sh"]);
    buildah("copy", "-q", container, files, "/");
    assert.equal(buildah("run", "--isolation", "chroot", container, "--", "sh", "-c", "echo runs"), "runs");
    return undefined;
  } catch (error) {
    return String(error).split("\n")[0];
  }
}

/** Copies programs of this machine to the same places below a folder, with the libraries that they load. */
function addPrograms(root: string, names: readonly string[]): void {
  for (const name of names) {
    const program = name.includes("/") ? name : run("sh", ["-c", `command -v ${name}`]);
    const libraries = Array.from(run("ldd", [program]).matchAll(/(\/\S+) \(0x/g), ([, path]) => path!);
    add(root, realpathSync(program), join("/usr/bin", name.slice(name.lastIndexOf("/") + 1)));
    for (const path of libraries) add(root, realpathSync(path), path);
  }
}

function add(root: string, from: string, to: string): void {
  mkdirSync(join(root, dirname(to)), { recursive: true });
  cpSync(from, join(root, to), { recursive: true });
}

/** Makes an image like Node.js's own: its program, npm, a shell, a user `node`. npm reads from its cache only. */
function makeBase(): void {
  const root = join(folder, "base");
  addPrograms(root, ["sh", "mkdir", "chown", "env", "tr", "git", join(ROOT, "node_modules/node/bin/node")]);
  const npm = realpathSync(run("sh", ["-c", "command -v npm"]));
  // The file of the command npm is in the folder bin of its package.
  add(root, dirname(dirname(npm)), "/usr/lib/npm");
  symlinkSync("usr/bin", join(root, "bin"));
  for (const name of ["etc", "tmp", "root", "home/node"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(
    join(root, "etc/passwd"),
    `root:x:0:0::/root:/bin/sh\nnode:x:${NODE_USER}:${NODE_USER}::/home/node:/bin/sh\n`,
  );
  writeFileSync(join(root, "etc/group"), `root:x:0:\nnode:x:${NODE_USER}:\n`);
  writeFileSync(join(root, "usr/bin/npm"), `#!/bin/sh\nexec node /usr/lib/npm/bin/npm-cli.js "$@"\n`, {
    mode: 0o755,
  });
  const container = buildah("from", "scratch");
  buildah("copy", "-q", container, root, "/");
  const environment = {
    PATH: "/usr/bin:/bin",
    npm_config_offline: "true",
    npm_config_cache: "/var/cache/npm",
    npm_config_registry: run("npm", ["config", "get", "registry"]),
  };
  const variables = Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  buildah("config", ...variables, container);
  buildah("commit", "-q", container, "base");
}

describe("deploy/Containerfile", () => {
  it("is built, and its image serves a home as the user node", async (t) => {
    const reason = obstacle();
    if (reason !== undefined) {
      t.diagnostic(`No containers here, deploy.test.ts has run the steps in a folder: ${reason}`);
      return;
    }
    makeBase();
    const cache = run("npm", ["config", "get", "cache"]);
    const file = ["-f", join(ROOT, "deploy/Containerfile"), "--build-arg", "BASE=localhost/base"];
    const chroot = ["--isolation", "chroot"];
    buildah("bud", "-q", ...chroot, ...file, "--volume", `${cache}:/var/cache/npm`, "-t", "xylem", ROOT);

    const image = JSON.parse(buildah("inspect", "--type", "image", "xylem")).OCIv1.config;
    assert.equal(image.User, "node");
    assert.deepEqual(Object.keys(image.ExposedPorts), ["8080/tcp"]);
    const container = buildah("from", "localhost/xylem");
    const home = unpackHome("browse.tar.gz", folder);
    run("chown", ["-R", `${NODE_USER}:${NODE_USER}`, home]);
    // A container that shares the network of the machine must not take a fixed port.
    const command = image.Cmd.map((arg: string) => arg === "0.0.0.0:8080" ? "127.0.0.1:0" : arg);
    const args = [...chroot, "--volume", `${home}:/home/node/.radicle`, container, "--"];
    for (const path of FOLDERS_IN_IMAGE) {
      const write = `fs.writeFileSync("${path}/probe", ""); console.log(process.getuid())`;
      assert.equal(buildah("run", ...args, "node", "-e", write), `${NODE_USER}`);
    }
    const load = `import("@redis/client").then(({ createClient }) => console.log(typeof createClient))`;
    assert.equal(buildah("run", ...args, "node", "-e", load), "function");
    const child = spawn("buildah", [...PLACES, "run", ...args, ...command], {
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
      stdio: ["ignore", "pipe", "inherit"],
      timeout: PATIENCE_MS,
      detached: true,
    });
    const ended = once(child, "close");
    let said = "";
    try {
      for await (const text of child.stdout.setEncoding("utf8")) {
        if ((said += text).includes("Ctrl-C")) break;
      }
      const url = /Serving (http:\S+)/.exec(said)?.[1] ?? assert.fail(said);
      const projects: { id: string; head: string }[] = await (await fetch(`${url}/api/v1/projects`)).json();
      assert.ok(projects.length > 0);
      const { id } = projects[0]!;
      assert.equal((await fetch(`${url}/api/v1/projects/${id}/commits?perPage=100`)).status, 200);
      const refs = await fetch(`${url}/${id.slice("rad:".length)}.git/info/refs?service=git-upload-pack`);
      assert.match(await refs.text(), new RegExp(projects[0]!.head));
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
    }
    t.diagnostic("Built and run by buildah.");
  });
});
