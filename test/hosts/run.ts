/**
 * `npm run hosts [FILE…]`: packs the package as npm publishes it, installs the hosts, and runs the tests of
 * this folder, or the named ones, against the packed package.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { makeLargeDiffHome, SHAPES } from "../adapters/large_diff.ts";
import { removeFolder, ROOT, temporaryFolder } from "../support/programs.ts";
import { CONSUMER_VARIABLE } from "./project.ts";

const folder = temporaryFolder("hosts");
try {
  const tools = execFileSync("sh", ["test/hosts/install.sh"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
  execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" }));
  renameSync(join(folder, filename), join(folder, "package.tgz"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "xylem-http"), { recursive: true });
  execFileSync("tar", [
    "-xf",
    join(folder, "package.tgz"),
    "--strip-components=1",
    "-C",
    join(modules, "xylem-http"),
  ]);
  // The package sees its dependencies, and the program beside it the hosts.
  const linked = new Set<string>();
  for (const from of [join(tools, "node_modules"), join(ROOT, "node_modules")]) {
    linkModules(from, modules, linked);
  }
  const { old, now } = makeLargeDiffHome(folder);
  const project = `/api/v1/projects/${SHAPES}`;
  const paths = [
    "/api/v1/projects",
    `${project}/commits?perPage=100`,
    `${project}/diff/${old.commit}/${now.commit}`,
  ];
  writeFileSync(join(folder, "paths.json"), JSON.stringify(paths));
  const named = process.argv.slice(2);
  const files = named.length > 0
    ? named
    : readdirSync(join(ROOT, "test/hosts")).filter((name) => name.endsWith(".test.ts"))
      .map((name) => `test/hosts/${name}`);
  const runner = ["--import", "./test/untracked_promises.ts", "--test", "--test-concurrency=2"];
  const { status } = spawnSync(process.execPath, [...runner, ...files], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, [CONSUMER_VARIABLE]: folder },
  });
  process.exitCode = status ?? 1;
} finally {
  removeFolder(folder);
}

/** Links all packages of a folder into another one, but those that are linked already. */
function linkModules(from: string, to: string, linked: Set<string>): void {
  const names = readdirSync(from).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(from, name)).map((part) => `${name}/${part}`) : [name]
  );
  for (const name of names) {
    if (name.startsWith(".") || linked.has(name)) continue;
    linked.add(name);
    mkdirSync(dirname(join(to, name)), { recursive: true });
    symlinkSync(join(from, name), join(to, name));
  }
}
