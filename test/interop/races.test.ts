/**
 * Two of our services, on different runtimes, and the real `rad` write to one repository at once, in part to the same objects. Nothing that was
 * acknowledged is lost. What `rad` has overwritten is there again a moment later, under the same ids; how often that happened is printed.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { type Generation, GENERATIONS, realProgram, type Runtime } from "../support/programs.ts";
import { createServedHomes } from "./served_homes.ts";
import {
  assertIntact,
  assertSigned,
  type Client,
  createWrittenProject,
  entriesInRad,
  newComment,
  newIssue,
  RefusedError,
  signIn,
  type WrittenProject,
} from "./written_project.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** Writes of each of our services, and of `rad`; every tenth opens an issue. */
const OUR_WRITES = 130;
const RAD_WRITES = 40;
const OPEN_EVERY = 10;
/** Clients that write through one service at a time. */
const CLIENTS = 2;
/** Issues of each kind: those that only our services comment on, those that only `rad` does, those that all do. */
const ISSUES = 2;
/** How often a writer tries again what was refused because others were writing. */
const MAX_TRIES = 50;

/** Which two of our runtimes race beside which `rad`. */
const RACES: Readonly<Record<Generation, readonly [Runtime, Runtime]>> = {
  "0.10": ["node", "deno"],
  "newest": ["bun", "node"],
};

/** What was acknowledged: the entry's id where the answer told it, and the text by which it is found. */
interface Acknowledged {
  readonly issue: string;
  readonly entry?: string;
  readonly text: string;
}

/** Issues by who comments on them. */
interface Issues {
  readonly ours: readonly string[];
  readonly rads: readonly string[];
  readonly shared: readonly string[];
}

/** What a race came to. */
interface Tally {
  readonly acknowledged: Acknowledged[];
  refusals: number;
  radRetries: number;
}

const { folder, serve } = createServedHomes("races");

/** Runs `rad` beside all else; a failure throws with its output. */
function runRad(generation: Generation, { rad: { home } }: WrittenProject, args: string[]): Promise<string> {
  const env = { ...process.env, HOME: home, RAD_HOME: home, RAD_PASSPHRASE: "", USER: "tester" };
  const options = { cwd: dirname(home), env, timeout: PATIENCE_MS };
  return new Promise((resolve, reject) => {
    execFile(realProgram(generation, "rad"), args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`rad ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}

/** Sends again what was refused for the sake of others. */
async function persist<T>(step: () => Promise<T>, mayRetry: (error: unknown) => boolean): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await step();
    } catch (error) {
      if (tries >= MAX_TRIES || !mayRetry(error)) throw error;
    }
  }
}

/** One of our clients at work. */
async function write(client: Client, name: string, issues: Issues, tally: Tally): Promise<void> {
  const count = OUR_WRITES / CLIENTS;
  const commented = [...issues.ours, ...issues.shared];
  const isBusy = (error: unknown) => {
    if (!(error instanceof RefusedError) || error.status !== 503) return false;
    tally.refusals++;
    return true;
  };
  for (let n = 0; n < count; n++) {
    const text = `${name}-${n}.`;
    if (n % OPEN_EVERY === 0) {
      const id = await persist(() => client.send("POST", "/issues", newIssue(text)), isBusy);
      tally.acknowledged.push({ issue: id, entry: id, text });
    } else {
      const issue = commented[n % commented.length]!;
      const body = newComment(issue, text);
      const entry = await persist(() => client.send("PATCH", `/issues/${issue}`, body), isBusy);
      tally.acknowledged.push({ issue, entry, text });
    }
  }
}

/** `rad` at work. */
async function writeWithRad(
  generation: Generation,
  project: WrittenProject,
  issues: Issues,
  tally: Tally,
): Promise<void> {
  const commented = [...issues.rads, ...issues.shared];
  // It says so in several ways; what it had written by then stays.
  const lostRace = () => ++tally.radRetries > 0;
  const run = (...args: string[]) =>
    persist(() => runRad(generation, project, [...args, "--no-announce", "--repo", project.rid]), lostRace);
  for (let n = 0; n < RAD_WRITES; n++) {
    const text = `rad-${n}.`;
    if (n % OPEN_EVERY === 0) {
      const shown = await run("issue", "open", "--title", text, "--description", text);
      const id = /Issue\s+([0-9a-f]{40})/.exec(shown)?.[1];
      assert.ok(id, shown);
      tally.acknowledged.push({ issue: id, entry: id, text });
    } else {
      const issue = commented[n % commented.length]!;
      await run("issue", "comment", issue, "--message", text);
      tally.acknowledged.push({ issue, text });
    }
  }
}

/** Writes that are not where they should be. */
function missing(
  acknowledged: readonly Acknowledged[],
  texts: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): Acknowledged[] {
  return acknowledged.filter(({ issue, entry, text }) =>
    !texts.get(issue)!.includes(text) || entry !== undefined && !ids.get(issue)!.has(entry)
  );
}

/** Asks until nothing is missing, or too much time has passed; answers what is missing then. */
async function settle(find: () => Promise<Acknowledged[]>): Promise<Acknowledged[]> {
  const deadline = Date.now() + PATIENCE_MS;
  let lost = await find();
  while (lost.length > 0 && Date.now() < deadline) lost = await find();
  return lost;
}

for (const generation of GENERATIONS) {
  const runtimes = RACES[generation];
  describe(`xylem on ${runtimes.join(" and ")} writing together with rad ${generation}`, () => {
    let project: WrittenProject;
    let readers: Client[];
    const tally: Tally = { acknowledged: [], refusals: 0, radRetries: 0 };
    const touched = () => new Set(tally.acknowledged.map(({ issue }) => issue));

    before(async () => {
      project = createWrittenProject(generation, join(folder, generation));
      const served = await Promise.all(runtimes.map((runtime) => serve(project, { runtime })));
      readers = served.map(({ client }) => client);
      const open = async (kind: string) => {
        const ids: string[] = [];
        for (let n = 0; n < ISSUES; n++) {
          ids.push(await readers[0]!.send("POST", "/issues", newIssue(`${kind} ${n}`)));
        }
        return ids;
      };
      const issues = { ours: await open("ours"), rads: await open("rad's"), shared: await open("shared") };
      const writers = served.flatMap(({ service: { url } }, i) =>
        Array.from({ length: CLIENTS }, async (_, n) => {
          await write(await signIn(url, project), `${runtimes[i]}-${n}`, issues, tally);
        })
      );
      await Promise.all([...writers, writeWithRad(generation, project, issues, tally)]);
    });

    it("acknowledges every write", () => {
      assert.equal(tally.acknowledged.length, runtimes.length * OUR_WRITES + RAD_WRITES);
    });

    it("both services show every acknowledged write", async (test) => {
      for (const reader of readers) {
        const lost = await settle(async () => {
          const texts = new Map<string, string>();
          const ids = new Map<string, Set<string>>();
          for (const issue of touched()) {
            const shown = await reader.read(`/issues/${issue}`);
            texts.set(issue, JSON.stringify(shown));
            ids.set(issue, new Set(shown.discussion.map(({ id }: { id: string }) => id)));
          }
          return missing(tally.acknowledged, texts, ids);
        });
        assert.deepEqual(lost, []);
      }
      // Nobody reacts to anything here but services that join what rad has overwritten.
      const joins = project.git.text(["rev-list", "--all", "--count", "--grep", "^React$"]);
      test.diagnostic?.(
        `${tally.acknowledged.length} writes, ${joins} joins; we refused ${tally.refusals}, rad ${tally.radRetries}`,
      );
    });

    it("rad has every acknowledged write, in its log and in its cache", () => {
      const { rad, rid } = project;
      const place = dirname(rad.home);
      const entries = new Map<string, Set<string>>();
      const texts = new Map<string, string>();
      rad.rad(place, "issue", "cache", "--repo", rid);
      for (const issue of touched()) {
        entries.set(issue, entriesInRad(project, issue));
        texts.set(issue, rad.rad(place, "issue", "show", issue, "--repo", rid));
      }
      assert.deepEqual(missing(tally.acknowledged, texts, entries), []);
    });

    it("leaves a repository that git finds no fault with", () => assertIntact(project));

    it("leaves signed references that the newest rad and we believe after the next write", async () => {
      await readers[0]!.send("POST", "/issues", newIssue("last"));
      await assertSigned(project);
    });
  });
}
