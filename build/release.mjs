/**
 * `npm run release -- --dry-run` does everything of a release except publishing. It checks versions,
 * changelog, tag, licences and exports, builds and packs, and lets npm and JSR check the package. A fault
 * ends it with status 1. It lists the steps that are left to the maintainers. Without `--dry-run` it refuses
 * if there are faults or such steps. Otherwise it publishes on npm with provenance, which needs a workflow
 * that npm trusts, and on JSR.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { readChangelog } from "./changelog.ts";
import { changedExports } from "./exports.ts";
import { neededPackages } from "./notice.mjs";

/** Members of package.json with the address of the project. No other file repeats them. */
const PLACES = ["repository", "homepage", "bugs"];
/** Files without which nothing is published. */
const REQUIRED = ["README.md", "CHANGELOG.md", "NOTICE.md", "LICENSE-MIT", "LICENSE-APACHE", "docs/api.md"];
/** Code under the GPL must come with the text of the GPL. */
const COPYING = "dist/src/diff/libgit2/carried/COPYING";

const isDry = process.argv.includes("--dry-run");
const read = (path) => readFileSync(path, "utf8");
const npm = JSON.parse(read("package.json"));
const tag = `v${npm.version}`;
const faults = [];
const left = [];
const say = (what, value) => process.stdout.write(`${what.padEnd(12)} ${value}\n`);
const run = (program, ...args) =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 26 });

const folder = mkdtempSync(join(tmpdir(), "xylem-release-"));
try {
  const checks = [checkVersions, checkChangelog, checkPlaces, checkLicences, checkCommit];
  for (const check of checks) attempt(check);
  if (!isDry) requireNothing();
  const tarball = attempt(pack);
  if (tarball !== undefined) {
    attempt(checkExports);
    attempt(() => checkNpm(tarball));
    attempt(checkJsr);
  }
  if (isDry) tellAll();
  else {
    requireNothing();
    run("npm", "publish", tarball, "--provenance", "--access", "public");
    run("deno", "publish");
    process.stdout.write(`Published ${npm.name} ${npm.version}.\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Returns the result of a step. A failure of the step is a fault. */
function attempt(step) {
  try {
    return step();
  } catch (error) {
    faults.push(error.stderr?.trim() || error.message);
  }
}

function tellAll() {
  for (const fault of faults) process.stdout.write(`fault: ${fault}\n`);
  for (const one of left) process.stdout.write(`left to the maintainers: ${one}\n`);
  process.stdout.write(
    faults.length > 0
      ? "A release would be refused.\n"
      : left.length > 0
      ? "All else is ready for a release.\n"
      : "A release could be made.\n",
  );
  if (faults.length > 0) process.exitCode = 1;
}

/** Ends the process if anything is missing. */
function requireNothing() {
  if (faults.length + left.length === 0) return;
  tellAll();
  process.stderr.write("release: refused\n");
  process.exit(1);
}

function checkVersions() {
  const versions = {
    "package.json": npm.version,
    "package-lock.json": JSON.parse(read("package-lock.json")).packages[""].version,
    "deno.json": JSON.parse(read("deno.json")).version,
    "src/version.ts": /VERSION = "(.*)"/.exec(read("src/version.ts"))?.[1],
  };
  say("version", npm.version);
  for (const [file, version] of Object.entries(versions)) {
    if (version !== npm.version) faults.push(`version ${npm.version} in ${file}, which has ${version}`);
  }
}

/**
 * On the day of a release, a maintainer turns the unreleased changes into the section of this version, and
 * adds its link.
 */
function checkChangelog() {
  const [unreleased, ...releases] = readChangelog(read("CHANGELOG.md"));
  const section = releases.find(({ name }) => name === npm.version);
  const { changes } = section ?? unreleased;
  say("changelog", `${changes} changes, ${section === undefined ? "unreleased" : `of ${section.date}`}`);
  if (changes === 0) faults.push("no changes in CHANGELOG.md");
  if (section === undefined) {
    left.push(`"## [${npm.version}] - DATE" in CHANGELOG.md, above what is unreleased, and its link`);
  }
}

function checkPlaces() {
  for (const member of PLACES) {
    const value = npm[member]?.url ?? npm[member];
    if (value === undefined) left.push(`"${member}" in package.json`);
    else say(member, value);
  }
}

function checkLicences() {
  const packages = neededPackages();
  say("licences", packages.map(({ name, license }) => `${name} (${license})`).join(", "));
}

function checkCommit() {
  const commit = run("git", "rev-parse", "HEAD").trim();
  say("commit", commit.slice(0, 7));
  if (run("git", "status", "--porcelain") !== "") left.push("a commit of the files that have changed");
  const tagged = run("git", "for-each-ref", "--format=%(objectname) %(*objectname)", `refs/tags/${tag}`);
  say("tag", tag);
  if (tagged === "") left.push(`the tag ${tag} on the commit`);
  else if (!tagged.includes(commit)) left.push(`another version: ${tag} is another commit`);
}

function checkExports() {
  const changed = changedExports(".");
  if (changed !== undefined) faults.push(`${changed}; npm run exports writes it anew`);
}

/** Builds and packs. Returns the path of the tarball. */
function pack() {
  run("npm", "run", "--silent", "build");
  const [{ filename, size, unpackedSize, files }] = JSON.parse(
    run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder),
  );
  const paths = files.map(({ path }) => path);
  say("tarball", `${filename}, ${size} bytes, ${files.length} files of ${unpackedSize} bytes`);
  for (const path of [...REQUIRED, COPYING, ...Object.values(npm.exports).map((file) => file.slice(2))]) {
    if (!paths.includes(path)) faults.push(`${path} is missing in the tarball`);
  }
  return join(folder, filename);
}

/** The last step of npm, without its registry. */
function checkNpm(tarball) {
  const args = ["--dry-run", "--offline", "--json", "--access", "public"];
  const said = JSON.parse(run("npm", "publish", tarball, ...args));
  // npm 10 describes one package, later versions describe several by name.
  const { id, files } = said[npm.name] ?? said;
  say("npm", `${id}, ${files.length} files`);
}

/** The last step of JSR, without its registry. `npm run check` also lets it check the types. */
function checkJsr() {
  run("deno", "publish", "--quiet", "--dry-run", "--allow-dirty", "--no-check");
  const { name, version } = JSON.parse(read("deno.json"));
  say("jsr", `${name}@${version}`);
}
