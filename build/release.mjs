/**
 * `npm run release -- --dry-run`: builds and packs, and checks versions, changelog, licences, content and what
 * registries show. Names everything that is missing. Without `--dry-run` it refuses while something is
 * missing, then publishes on npm with provenance, which needs a workflow that npm trusts, and on JSR.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { neededPackages } from "./notice.mjs";

/** Members of package.json that tell where the project lives. No other file repeats them. */
const PLACES = ["repository", "homepage", "bugs"];
/** Files without which nothing is published. */
const REQUIRED = ["README.md", "CHANGELOG.md", "NOTICE.md", "LICENSE-MIT", "LICENSE-APACHE", "docs/api.md"];
/** The GPL's text must accompany what is under it. */
const COPYING = "dist/src/diff/libgit2/carried/COPYING";

const isDry = process.argv.includes("--dry-run");
const read = (path) => readFileSync(path, "utf8");
const npm = JSON.parse(read("package.json"));
const missing = [];
const say = (what, value) => process.stdout.write(`${what.padEnd(12)} ${value}\n`);
const run = (program, ...args) =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 26 });

checkVersions();
checkChangelog();
checkPlaces();
checkLicences();
checkCommit();
if (!isDry) requireNothing();
const folder = mkdtempSync(join(tmpdir(), "xylem-release-"));
try {
  const tarball = pack(folder);
  if (isDry) {
    tellMissing();
    process.stdout.write(
      missing.length === 0 ? "A release could be made.\n" : "A release would be refused.\n",
    );
  } else {
    requireNothing();
    run("npm", "publish", tarball, "--provenance", "--access", "public");
    run("deno", "publish");
    process.stdout.write(`Published ${npm.name} ${npm.version}.\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

function tellMissing() {
  for (const problem of missing) process.stdout.write(`missing: ${problem}\n`);
}

/** Ends the process unless everything is there. */
function requireNothing() {
  if (missing.length === 0) return;
  tellMissing();
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
    if (version !== npm.version) missing.push(`version ${npm.version} in ${file}, which has ${version}`);
  }
}

function checkChangelog() {
  const heading = new RegExp(`^## ${npm.version.replaceAll(".", "\\.")}(?: |$)`, "m");
  if (!heading.test(read("CHANGELOG.md"))) {
    missing.push(`a section "## ${npm.version}" in CHANGELOG.md, in place of "## Unreleased"`);
  }
}

function checkPlaces() {
  for (const member of PLACES) {
    const value = npm[member]?.url ?? npm[member];
    if (value === undefined) {
      missing.push(`"${member}" in package.json, which is for the maintainers to decide`);
    } else say(member, value);
  }
}

function checkLicences() {
  const packages = neededPackages();
  say("licences", packages.map(({ name, license }) => `${name} (${license})`).join(", "));
}

function checkCommit() {
  let changed;
  try {
    changed = run("git", "status", "--porcelain").trim();
    say("commit", run("git", "rev-parse", "--short=7", "HEAD").trim());
  } catch {
    missing.push("a commit: this folder is no checkout");
  }
  if (changed) missing.push("a clean work tree: files have changed since the last commit");
}

/** Builds and packs; returns the path of the tarball. */
function pack(folder) {
  run("npm", "run", "--silent", "build");
  const [{ filename, size, unpackedSize, files }] = JSON.parse(
    run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder),
  );
  const paths = files.map(({ path }) => path);
  say("tarball", `${filename}, ${size} bytes, ${files.length} files of ${unpackedSize} bytes`);
  for (const path of [...REQUIRED, COPYING, ...Object.values(npm.exports).map((file) => file.slice(2))]) {
    if (!paths.includes(path)) missing.push(`${path} in the tarball`);
  }
  return join(folder, filename);
}
