// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Makes the demo home that `xylem --demo` serves, with the real programs of 0.10: `node test/interop/make_demo_home.ts [ARCHIVE]`, by default
 * adapters/cli/demo_home.tar.gz. Keys and times are fixed, so the same script gives the same repository, issue and patch ids.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import {
  openRadHome,
  type RadHome,
  removeFolder,
  ROOT,
  startNode,
  temporaryFolder,
} from "../support/programs.ts";
import { FILES, leafImage } from "./demo_content.ts";

/** Midday of 4 May 2026, UTC; every step of the story is half a day to two days later. */
const START_SECONDS = 1777896000;

/** One person: a home, and the git identity that the commits carry. */
interface Person {
  readonly name: string;
  readonly email: string;
  readonly alias: string;
  readonly home: string;
  /** Node id. */
  nid: string;
}

const folder = temporaryFolder("demo");
let nowSeconds = START_SECONDS;

const alice = person("Alice Arbor", "alice@example.org", "demo", "a1");
const bob = person("Bob Branch", "bob@example.org", "bob", "b0");

try {
  const work = join(folder, "xylem-demo");
  createRepository(work, alice, ["xylem-demo", "A small project to look around in"], "README.md");
  const rid = rad(alice, work, "inspect", "--rid").trim();
  writeHistory(work);
  follow(rid);
  discussIssues(work, rid);
  proposePatches(work, rid);
  createSecond(join(folder, "seed-catalogue"));
  createPrivate(join(folder, "winter-notes"));
  configure(rid);
  await startNodeOnce();
  pack(process.argv[2] ?? join(ROOT, "adapters", "cli", "demo_home.tar.gz"));
} finally {
  removeFolder(folder);
}

function person(name: string, email: string, alias: string, seedByte: string): Person {
  const home = join(folder, alias, "home");
  mkdirSync(home, { recursive: true });
  const made = { name, email, alias, home, nid: "" };
  as(made, { RAD_KEYGEN_SEED: seedByte.repeat(32) }).rad(folder, "auth", "--alias", alias);
  made.nid = rad(made, folder, "self", "--nid").trim();
  return made;
}

/** Commands by one person at the present moment of the story, which then goes on a little. */
function as(who: Person, env: Record<string, string> = {}): RadHome {
  nowSeconds += 60;
  return openRadHome("0.10", who.home, who.alias, {
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
    GIT_AUTHOR_DATE: String(nowSeconds),
    GIT_COMMITTER_DATE: String(nowSeconds),
    ...env,
  });
}

function rad(who: Person, work: string, ...args: string[]): string {
  return as(who).rad(work, ...args);
}

function git(who: Person, work: string, ...args: string[]): string {
  return as(who).git(work, ...args);
}

function later(hours: number): void {
  nowSeconds += hours * 3600;
}

/** Writes a file of the content table (or an own text) and commits everything. */
function commit(
  who: Person,
  work: string,
  message: string,
  files: Record<string, string | Uint8Array> = {},
): void {
  later(41);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  git(who, work, "add", "--all");
  git(who, work, "commit", "--quiet", "--message", message);
}

function createRepository(
  work: string,
  who: Person,
  [name, description]: [string, string],
  first: string,
  ...options: string[]
): void {
  mkdirSync(work);
  git(who, work, "init", "--quiet");
  const text = FILES[`${name}/${first}`];
  if (text === undefined) throw new RangeError(`No content for ${name}/${first}`);
  commit(who, work, "Start the project", { [first]: text });
  const named = ["--name", name, "--description", description, "--default-branch", "main"];
  rad(who, work, "init", ...named, "--no-confirm", ...(options.length > 0 ? options : ["--public"]));
}

/** About fifteen commits: two merges, a rename with and one without change, an image, a symbolic link, a program, tags, branches. */
function writeHistory(work: string): void {
  const file = (path: string) => ({ [path]: FILES[`xylem-demo/${path}`] ?? "" });
  commit(
    alice,
    work,
    "Add the tree\n\nA tree grows one ring a year. Nothing else happens yet.",
    file("src/tree.ts"),
  );
  commit(alice, work, "Write down how to grow one", { "GUIDE.md": FILES["xylem-demo/docs/guide.md"] ?? "" });
  commit(bob, work, "Add seasons", { "src/season.ts": FILES["xylem-demo/src/season.ts.first"] ?? "" });
  git(alice, work, "switch", "--quiet", "--create", "feature/leaves");
  commit(bob, work, "Add leaves", file("src/leaf.ts"));
  commit(bob, work, "Draw a leaf", { "assets/leaf.png": leafImage() });
  git(alice, work, "switch", "--quiet", "main");
  commit(alice, work, "Let the tree be grown from the shell", file("bin/grow.sh"));
  chmodSync(join(work, "bin", "grow.sh"), 0o755);
  commit(alice, work, "Make the program executable");
  git(
    alice,
    work,
    "merge",
    "--quiet",
    "--no-ff",
    "--message",
    "Merge branch 'feature/leaves'",
    "feature/leaves",
  );
  git(alice, work, "tag", "--annotate", "v0.1.0", "--message", "First leaves");
  mkdirSync(join(work, "docs"));
  renameSync(join(work, "GUIDE.md"), join(work, "docs", "guide.md"));
  commit(alice, work, "Move the guide into a folder of its own");
  renameSync(join(work, "src", "season.ts"), join(work, "src", "seasons.ts"));
  commit(bob, work, "Rename season.ts and name the months", file("src/seasons.ts"));
  symlinkSync("docs/guide.md", join(work, "HOWTO"));
  commit(alice, work, "Link the guide where it is looked for");
  git(alice, work, "switch", "--quiet", "--create", "feature/birds");
  commit(bob, work, "Invite birds", file("src/bird.ts"));
  git(alice, work, "switch", "--quiet", "main");
  git(alice, work, "switch", "--quiet", "--create", "docs/umlauts");
  commit(bob, work, "Bäume auf Deutsch 🌳", file("docs/bäume.md"));
  git(alice, work, "switch", "--quiet", "main");
  commit(alice, work, "Test that rings add up", file("test/tree.test.ts"));
  git(alice, work, "merge", "--quiet", "--no-ff", "--message", "Merge branch 'docs/umlauts'", "docs/umlauts");
  git(alice, work, "tag", "v0.2.0");
  git(alice, work, "push", "--quiet", "rad", "main", "feature/birds", "--tags");
}

/** Bob gets a copy of the storage as a fetch would bring it; both know each other by alias. */
function follow(rid: string): void {
  later(20);
  copyRefs(rid, alice, bob);
  rad(bob, folder, "follow", alice.nid, "--alias", "alice");
  rad(alice, folder, "follow", bob.nid, "--alias", "bob");
  rad(bob, folder, "fork", rid);
  rad(bob, join(folder, "bob"), "checkout", rid);
}

/** What a fetch between two nodes does: the first time the whole repository, then the refs of the one who wrote. */
function copyRefs(rid: string, from: Person, to: Person): void {
  const path = (who: Person) => join(who.home, "storage", rid.replace("rad:", ""));
  try {
    statSync(path(to));
  } catch {
    cpSync(path(from), path(to), { recursive: true, verbatimSymlinks: true });
  }
  const refs = `+refs/namespaces/${from.nid}/*:refs/namespaces/${from.nid}/*`;
  git(to, path(to), "fetch", "--quiet", "--no-write-fetch-head", path(from), refs);
  rad(to, folder, "issue", "cache", "--repo", rid);
  rad(to, folder, "patch", "cache", "--repo", rid);
}

function discussIssues(work: string, rid: string): void {
  const theirs = join(folder, "bob", "xylem-demo");
  const open = (who: Person, cwd: string, title: string, text: string, ...labels: string[]) => {
    later(9);
    const marked = labels.flatMap((label) => ["--label", label]);
    const shown = rad(
      who,
      cwd,
      "issue",
      "open",
      "--title",
      title,
      "--description",
      text,
      ...marked,
      "--no-announce",
    );
    const id = /\b[0-9a-f]{40}\b/.exec(shown)?.[0];
    if (!id) throw new Error(`No issue id in ${shown}`);
    return id;
  };
  const say = (who: Person, cwd: string, id: string, text: string, ...to: string[]) => {
    later(3);
    const shown = rad(who, cwd, "issue", "comment", id, "--message", text, ...to, "--quiet", "--no-announce");
    return /\b[0-9a-f]{40}\b/.exec(shown)?.[0] ?? "";
  };
  const water = open(
    alice,
    work,
    "Trees are never watered",
    FILES["issue/water"] ?? "",
    "bug",
    "good-first-issue",
  );
  const rings = open(alice, work, "Print the rings as a picture", FILES["issue/rings"] ?? "", "idea");
  const leaves = open(alice, work, "Leaves fall up", "After `autumn` every leaf is above the crown.", "bug");
  copyRefs(rid, alice, bob);
  const licence = open(bob, theirs, "Which licence is this under?", "I would like to plant a copy.");
  const answer = say(bob, theirs, water, "A can with a hose would do. I can look into it next week.");
  copyRefs(rid, bob, alice);
  say(alice, work, water, "Yes please! Rain could come later.", "--reply-to", answer);
  rad(alice, work, "issue", "react", water, "--emoji", "🌱", "--to", answer);
  rad(alice, work, "issue", "assign", water, "--add", `did:key:${bob.nid}`, "--no-announce");
  say(alice, work, leaves, "The sign of gravity was wrong. Fixed with the move of the seasons.");
  rad(alice, work, "issue", "state", leaves, "--solved", "--no-announce");
  say(alice, work, licence, "Public domain; I will write it into the README.");
  rad(alice, work, "issue", "label", licence, "--add", "question", "--no-announce");
  rad(alice, work, "issue", "label", rings, "--add", "help-wanted", "--no-announce");
  copyRefs(rid, alice, bob);
}

function proposePatches(work: string, rid: string): void {
  const theirs = join(folder, "bob", "xylem-demo");
  const propose = (
    who: Person,
    cwd: string,
    branch: string,
    [title, text, ...options]: [string, string, ...string[]],
    files: Record<string, string>,
  ) => {
    git(who, cwd, "switch", "--quiet", "--create", branch, "main");
    commit(who, cwd, title, files);
    const message = [title, text].flatMap((part) => ["-o", `patch.message=${part}`]);
    git(who, cwd, "push", ...message, ...options, "rad", "HEAD:refs/patches");
    const id = /\b[0-9a-f]{40}\b/.exec(git(who, cwd, "config", `branch.${branch}.merge`))?.[0];
    if (!id) throw new Error(`No patch id for ${branch}`);
    return id;
  };
  const can = propose(bob, theirs, "watering", [
    "Water the trees",
    "Adds a watering can and uses it once a day.",
  ], {
    "src/can.ts": FILES["xylem-demo/src/can.ts"] ?? "",
  });
  const winter = propose(bob, theirs, "winter", [
    "Sleep in winter",
    "Not finished: spring has to wake it up again.",
    "-o",
    "patch.draft",
  ], {
    "src/winter.ts": "/** Trees sleep from December to February. */\nexport const SLEEPING = [12, 1, 2];\n",
  });
  const plastic = propose(bob, theirs, "plastic", ["Offer plastic trees", "They need no water at all."], {
    "src/plastic.ts": "export const NEEDS_WATER = false;\n",
  });
  later(5);
  commit(bob, theirs, "Sell plastic trees", { "src/shop.ts": "export const PRICE_CENTS = 999;\n" });
  git(bob, theirs, "push", "-o", "patch.message=Sell them, too", "rad", `HEAD:patches/${plastic}`);
  copyRefs(rid, bob, alice);

  later(8);
  rad(alice, work, "patch", "review", can, "--accept", "--message", "Works in my garden.", "--no-announce");
  rad(alice, work, "patch", "comment", can, "--message", "How large is the can?", "--no-announce");
  rad(alice, work, "patch", "label", can, "--add", "feature", "--no-announce");
  rad(alice, work, "patch", "comment", winter, "--message", "Take your time, it is June.", "--no-announce");
  rad(alice, work, "patch", "review", plastic, "--reject", "--message", "They do not grow.", "--no-announce");
  rad(alice, work, "patch", "archive", plastic, "--no-announce");

  // Merged by the push: the remote helper of 0.10 sees only patches that it put into the cache itself, so this one is Alice's.
  const spelling = propose(alice, work, "spelling", ["Spell chlorophyll", "One l, one p, two l."], {
    "src/leaf.ts": (FILES["xylem-demo/src/leaf.ts"] ?? "").replace("clorophyl", "chlorophyll"),
  });
  later(20);
  git(alice, work, "switch", "--quiet", "main");
  git(alice, work, "merge", "--quiet", "--no-ff", "--message", "Merge patch: Spell chlorophyll", "spelling");
  git(alice, work, "push", "--quiet", "rad", "main");
  copyRefs(rid, alice, bob);
  later(2);
  rad(bob, theirs, "patch", "comment", spelling, "--message", "I never get this one right.", "--no-announce");
  copyRefs(rid, bob, alice);
}

function createSecond(work: string): void {
  later(30);
  createRepository(work, alice, ["seed-catalogue", "Seeds, by name and season"], "README.md");
  commit(alice, work, "List the first seeds", { "seeds.csv": FILES["seed-catalogue/seeds.csv"] ?? "" });
  git(alice, work, "push", "--quiet", "rad", "main");
}

function createPrivate(work: string): void {
  later(30);
  createRepository(work, alice, ["winter-notes", "Only for those who are let in"], "notes.md", "--private");
}

/** A node started on the home must not reach for the network: no seeds, no listening, and the network that has no bootstrap nodes. */
function configure(pinned: string): void {
  const path = join(alice.home, "config.json");
  const config = JSON.parse(readFileSync(path, "utf8"));
  config.preferredSeeds = [];
  config.web = { pinned: { repositories: [pinned] } };
  config.cli = { hints: false };
  config.node = { ...config.node, network: "test", listen: [], connect: [], peers: { type: "static" } };
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
}

/** The first start of a node fills the database with what other nodes and the service want to know of it: its alias, what it seeds. */
async function startNodeOnce(): Promise<void> {
  const node = await startNode("0.10", alice.home);
  await node.stop();
}

/** Packs every repository tightly and archives the home as the folder `demo`, with fixed owners and times. */
function pack(archive: string): void {
  const storage = join(alice.home, "storage");
  for (const name of readdirSync(storage)) {
    const repository = join(storage, name);
    const settings = ["pack.threads=1", "repack.writeBitmaps=false", "gc.writeCommitGraph=false"];
    git(
      alice,
      repository,
      ...settings.flatMap((one) => ["-c", one]),
      "gc",
      "--quiet",
      "--aggressive",
      "--prune=now",
    );
    for (const unused of ["hooks", "info", "objects/info", "description"]) {
      rmSync(join(repository, unused), { recursive: true, force: true });
    }
  }
  renameSync(alice.home, join(folder, "demo-home"));
  chmodSync(join(folder, "demo-home", "keys", "radicle"), 0o600);
  const fixed = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", `--mtime=@${nowSeconds}`];
  const transform = "--transform=s,^demo-home,demo,";
  const tar = execFileSync("tar", ["-c", ...fixed, transform, "-C", folder, "demo-home"], {
    maxBuffer: 64 << 20,
  });
  writeFileSync(archive, execFileSync("gzip", ["-9n"], { input: tar, maxBuffer: 64 << 20 }));
  console.log(`${archive}: ${statSync(archive).size} bytes`);
}
