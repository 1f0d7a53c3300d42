/**
 * Collects the URLs that a crawler of a repository finds: each commit with its page of history, its diff, its
 * folders and its files.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** URLs of each commit besides folders and files: the commit, its tree, its diff, its page of history. */
const VIEWS = 4;
/** A third of the other URLs are folders. The rest are files. */
const FOLDERS = 1 / 3;
/** Trees that git lists at a time. */
const LISTED_AT_ONCE = 4;
/** Most output of one git command, in bytes. */
const OUTPUT_BYTES = 2 ** 28;

/** Paths and queries below the API's prefix, each once, in an order that is independent of the history. */
export interface CrawlPlan {
  readonly pages: readonly string[];
  readonly others: readonly string[];
}

/**
 * Chooses `count` different URLs of a repository, equally many for each commit. The same history gives the
 * same URLs.
 */
export async function planCrawl(
  repository: string,
  { rid, count }: { readonly rid: string; readonly count: number },
): Promise<CrawlPlan> {
  const git = async (...args: string[]) =>
    (await run("git", ["--git-dir", repository, ...args], { maxBuffer: OUTPUT_BYTES })).stdout;
  const commits = (await git("rev-list", "--parents", "--branches")).trim().split("\n").map((line) =>
    line.split(" ")
  );
  const random = numbers(commits.length);
  const each = Math.max(VIEWS + 2, Math.ceil(count / commits.length));
  const folderCount = Math.round((each - VIEWS) * FOLDERS);
  const project = `/projects/${rid}`;
  const pages: string[] = [], others: string[] = [];
  for (let at = 0; at < commits.length; at += LISTED_AT_ONCE) {
    const some = commits.slice(at, at + LISTED_AT_ONCE);
    const listed = await Promise.all(some.map(([oid]) => git("ls-tree", "-r", "-t", "-z", oid!)));
    for (const [i, [oid, parent]] of some.entries()) {
      pages.push(`${project}/commits?parent=${oid}&perPage=30`);
      others.push(`${project}/commits/${oid}`, `${project}/tree/${oid}/`);
      if (parent !== undefined) others.push(`${project}/diff/${parent}/${oid}`);
      const entries = listed[i]!.split("\0").filter(Boolean).map((line) =>
        line.split(/[\t ]/, 3).concat(line.slice(line.indexOf("\t") + 1))
      );
      const pathsOf = (kind: string) =>
        entries.filter((entry) => entry[1] === kind).map((entry) => entry[3]!);
      const folders = pick(pathsOf("tree"), folderCount, random);
      const blobs = pick(pathsOf("blob"), each - VIEWS - folders.length, random);
      others.push(...folders.map((path) => `${project}/tree/${oid}/${encode(path)}`));
      others.push(...blobs.map((path) => `${project}/blob/${oid}/${encode(path)}`));
    }
  }
  const shuffledPages = pick(pages, pages.length, random);
  return { pages: shuffledPages, others: pick(others, Math.max(0, count - pages.length), random) };
}

/** Merges both kinds of URLs, with the pages spread evenly. */
export function mixed({ pages, others }: CrawlPlan): readonly string[] {
  const all = [...others.map((target, i) => ({ target, at: i / others.length }))];
  all.push(...pages.map((target, i) => ({ target, at: i / pages.length })));
  return all.sort((a, b) => a.at - b.at).map(({ target }) => target);
}

function encode(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Some of the items, in random order. */
function pick<T>(items: readonly T[], count: number, random: () => number): T[] {
  const pool = [...items];
  for (let i = 0; i < Math.min(count, pool.length); i++) {
    const other = i + Math.floor(random() * (pool.length - i));
    [pool[i], pool[other]] = [pool[other]!, pool[i]!];
  }
  return pool.slice(0, count);
}

/** Random numbers from 0 to below 1. The same seed gives the same numbers. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
