/** How much there is to read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readFileSync } from "node:fs";
import { countLines, sumOf } from "./lines.ts";

/** The most code that a part may have: now, and what is wanted. */
interface Bound {
  readonly part: string;
  readonly has: (file: string) => boolean;
  readonly most: number;
  readonly wanted: number;
}

const isOfPage = (file: string) => file.startsWith("src/page/");

/**
 * Who takes the project over reads all of it, so that a feature has to be worth its lines. Lower these bounds to the
 * numbers of `node test/lines.ts --folders` whenever those are lower; to raise one takes a reason in the commit.
 */
const BOUNDS: readonly Bound[] = [
  // The latest changes of all repositories in one object took 309 more: its format, writer, reader, and looks at what it names.
  // Shares in the contract by route, figures of three tables, and sums of requests took 100 more.
  // Of these, live changes take 1,370 lines, health, logs, metrics and shares of clients 1,100, what verifies buckets and
  // hears of changes 359, diffs made in both places and very many moved files 162.
  // The comparison with another service takes 982: questions, limits of foreign answers, forms, and a row for each deviation.
  // Exact bounds of integers of 64 bits in the document of the API took 11, commits in the order of packs 126, the place on the screen after the way back 3 of the page.
  // Checks of indexes and packs that are forged with their digests took 85, the limits of writes into the cache folder 34.
  // A service that is not warmed up took 9: hundreds of starts of tests are two seconds of a processor less each.
  // Commits read from their first bytes took 73, with decompression that stops and needs no library: a third less processor time.
  // Messages that wait for no reader, and Deno's own way to write them, took 26.
  // Blocks whose repeats stay taken out took 93: a fifth of the memory, and a third of the garbage collections of a replica.
  // The bound of missing parents counts each place that refers to one, and a history that goes beyond it is not saved: 20.
  // What git reads took 540: the bytes of tar, old encodings, quoted alternates, shallow repositories, integers of 64 bits.
  { part: "the service", has: (file) => !isOfPage(file), most: 49_550, wanted: 47_000 },
  { part: "the page for browsers", has: isOfPage, most: 3_993, wanted: 4_000 },
];
/**
 * Least share of comments in the lines of the service that are not blank: code is to get shorter, not its explanation.
 */
const MIN_COMMENT_SHARE = 0.208;
/** Most lines of a file, with the blank ones: what fits into one head at a time. */
const MAX_FILE = 521;
/**
 * Most places that make a task. One belongs to a request, to a job in the background or to a round of it, and is handed
 * on.
 */
const MAX_TASKS = 30;

describe("the source", () => {
  const counted = countLines();

  for (const { part, has, most } of BOUNDS) {
    it(`has at most ${most} lines of code in ${part}`, () => {
      const lines = sumOf(counted.filter(({ file }) => has(file)), "code");
      assert.ok(lines <= most, `${lines} lines`);
    });
  }

  it("has no fewer comments for its code", () => {
    const service = counted.filter(({ file }) => !isOfPage(file));
    const [code, comments] = [sumOf(service, "code"), sumOf(service, "comments")];
    assert.ok(
      comments / (code + comments) >= MIN_COMMENT_SHARE,
      `${comments} comments, ${code} lines of code`,
    );
  });

  it(`makes tasks in at most ${MAX_TASKS} places`, () => {
    const places = counted.flatMap(({ file }) => {
      return readFileSync(new URL(`../${file}`, import.meta.url), "utf8").match(/\bnew Task\(/g) ?? [];
    });
    assert.ok(places.length <= MAX_TASKS, `${places.length} places`);
  });

  it(`has no file of more than ${MAX_FILE} lines`, () => {
    assert.deepEqual(counted.filter(({ all }) => all > MAX_FILE).map(({ file }) => file), []);
  });
});
