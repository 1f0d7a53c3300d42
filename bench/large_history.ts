/**
 * Makes the history of a growing project, as a stream for `git fast-import`. New files are added all the time.
 * Recently changed files change again, and older ones rest. A few files are renamed or deleted, some commits
 * touch many files, and branches are merged. A heavy history has what makes real projects large: each commit touches one common file, each source has a built copy, and there are a bundle in few
 * lines, a lock file, and a folder of vendored code that is replaced from time to time. The same size gives
 * the same history.
 */
import { bundle, LockFile, vendored } from "./heavy_files.ts";

export interface HistorySize {
  readonly commits: number;
  /** Approximate number of files at the end. */
  readonly files: number;
  /** Whether the history contains the things that make real histories heavy. */
  readonly isHeavy: boolean;
}

const WORDS =
  "account branch cache delta entry field graph header index journal key ledger marker node object parser queue"
    .split(" ");
const PEOPLE = Array.from({ length: 40 }, (_, i) => `Author ${i} <author${i}@example.org>`);
/** Time of the last commit, in November 2026: the year before it has enough commits for the activity. */
const END_SECONDS = 1_795_000_000;
const SECONDS_PER_COMMIT = 1800;
const FILES_PER_FOLDER = 8;
/** A new file has between these numbers of lines. Most have few. */
const [LEAST_LINES, MOST_LINES] = [10, 400];
/** Part of the files that the first commit adds. */
const FIRST_FILES = 1 / 4;
/** Most commits of a side branch. One in ten is wide. */
const [NARROW, WIDE] = [5, 40];
/** Most changes of each heavy file in a history, and fewest commits between two of its changes. */
const BUNDLES = [60, 40] as const, LOCKS = [150, 16] as const, VENDORINGS = [6, 400] as const;
/** Lines of the file that each commit changes. It has a line for each of the last commits. */
const CHANGE_LINES = 200;

/**
 * How strongly recently changed files are preferred. Of n files, latest change first, a commit changes the
 * file at n·r^this, with a random r below 1.
 */
const RECENCY = 6;

interface File {
  path: string;
  readonly lines: string[];
}

/** The pieces of the stream. The branch is `main`. */
export function* largeHistory({ commits, files: fileCount, isHeavy }: HistorySize): Generator<string> {
  const random = numbers(commits);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const line = () =>
    `  const ${pick(WORDS)}${below(1000)} = ${pick(WORDS)}(${pick(WORDS)}, ${below(100_000)});`;
  /** The files, latest change first. */
  const files: File[] = [];
  let folder = "", added = 0;
  const firstFiles = Math.ceil(fileCount * FIRST_FILES);
  /** A side branch and its changes, which a merge repeats. */
  let side: { mark: number; left: number; readonly changes: string[] } | undefined;
  let tip = 0;
  const lock = new LockFile(below);
  const everyCommit: string[] = [];
  const isDue = (mark: number, [times, between]: readonly [number, number]) =>
    isHeavy && mark % Math.max(between, Math.floor(commits / times)) === 0;
  for (let mark = 1; mark <= commits; mark++) {
    const isOnSide = side !== undefined && side.left > 0;
    const isMerge = side !== undefined && side.left === 0;
    const from = isOnSide ? side!.mark : tip;
    const changes: string[] = isMerge ? side!.changes : [];
    if (mark === 1) changes.push(put({ path: "README.md", lines: ["# A grown project"] }));
    if (!isMerge) {
      const wanted = firstFiles + (fileCount - firstFiles) * (mark - 1) / Math.max(commits - 1, 1);
      while (added < wanted) changes.push(add());
      const edits = mark === 1 ? 0 : random() < 0.03 ? 10 + below(30) : 1 + below(4);
      for (let i = 0; i < edits; i++) changes.push(change(mark));
      if (isDue(mark, BUNDLES)) changes.push(put({ path: "dist/bundle.min.js", lines: bundle(mark, below) }));
      if (isDue(mark, LOCKS)) changes.push(put({ path: "package-lock.json", lines: lock.change(mark) }));
      if (isDue(mark, VENDORINGS)) { for (const file of vendored(mark, below)) changes.push(put(file)); }
    }
    if (isHeavy) {
      everyCommit.unshift(`- Change ${mark}: ${pick(WORDS)} ${pick(WORDS)}`);
      everyCommit.splice(CHANGE_LINES);
      changes.push(put({ path: "CHANGES.md", lines: everyCommit }));
    }
    yield [
      `commit refs/heads/${isOnSide ? "side" : "main"}`,
      `mark :${mark}`,
      `committer ${pick(PEOPLE)} ${END_SECONDS - (commits - mark) * SECONDS_PER_COMMIT} +0000`,
      text(`${pick(WORDS)}: Change ${mark}\n\nWhy it had to change.\n`),
      ...(from > 0 ? [`from :${from}`] : []),
      ...(isMerge ? [`merge :${side!.mark}`] : []),
      ...changes,
      "",
      "",
    ].join("\n");
    if (isOnSide) side = { mark, left: side!.left - 1, changes: [...side!.changes, ...changes] };
    else tip = mark;
    if (isMerge) side = undefined;
    if (side === undefined && mark > 1 && random() < 0.05) {
      side = { mark: tip, left: 1 + below(isHeavy && random() < 0.1 ? WIDE : NARROW), changes: [] };
    }
  }

  function add(): string {
    if (added++ % FILES_PER_FOLDER === 0) {
      folder = `${pick(["src", "src", "lib", "test"])}/${pick(WORDS)}/${pick(WORDS)}_${added}`;
    }
    const length = LEAST_LINES + Math.floor((MOST_LINES - LEAST_LINES) * random() ** 3);
    const file = { path: `${folder}/${pick(WORDS)}_${added}.ts`, lines: Array.from({ length }, line) };
    files.unshift(file);
    return isHeavy ? putBoth(file) : put(file);
  }

  function change(mark: number): string {
    const [file] = files.splice(Math.floor(files.length * random() ** RECENCY), 1) as [File];
    const kind = random();
    if (kind < 0.005 && files.length > firstFiles) {
      return `D ${file.path}${isHeavy ? `\nD ${builtPath(file.path)}` : ""}`;
    }
    files.unshift(file);
    if (kind < 0.02) {
      const old = file.path;
      file.path = old.replace(/[^/]*$/, `${pick(WORDS)}_${below(1_000_000)}_${mark}.ts`);
      const { path } = file;
      return `R ${old} ${path}${isHeavy ? `\nR ${builtPath(old)} ${builtPath(path)}` : ""}`;
    }
    file.lines.splice(below(file.lines.length), below(3), ...Array.from({ length: 1 + below(3) }, line));
    return isHeavy ? putBoth(file) : put(file);
  }
}

/** Writes a source and its built copy, as in projects that are installed from their repository. */
function putBoth({ path, lines }: File): string {
  return `${put({ path, lines })}\n${put({ path: builtPath(path), lines: ["// Built", ...lines] })}`;
}

function builtPath(path: string): string {
  return `build/${path}`;
}

function put({ path, lines }: Pick<File, "path" | "lines">): string {
  return `M 100644 inline ${path}\n${text(lines.join("\n") + "\n")}`;
}

function text(content: string): string {
  return `data ${new TextEncoder().encode(content).length}\n${content}`;
}

/** Random numbers from 0 to below 1: a linear congruential generator. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
