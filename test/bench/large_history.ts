/** A history like that of a grown project, as a stream for `git fast-import`: hundreds of files, edits, renames, merges. The same for the same size. */

/** Size of a history. */
export interface HistorySize {
  readonly commits: number;
  readonly files: number;
}

const WORDS =
  "account branch cache delta entry field graph header index journal key ledger marker node object parser queue"
    .split(" ");
const PEOPLE = Array.from({ length: 40 }, (_, i) => `Author ${i} <author${i}@example.org>`);
/** Time of the last commit, in November 2026: the activity of a year before it is worth asking for. */
const END_SECONDS = 1_795_000_000;
const SECONDS_PER_COMMIT = 1800;
const LINES_PER_FILE = 60;

interface File {
  path: string;
  readonly lines: string[];
}

/** The pieces of the stream; the branch is `main`. */
export function* largeHistory({ commits, files: fileCount }: HistorySize): Generator<string> {
  const random = numbers(commits);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const line = () =>
    `  const ${pick(WORDS)}${below(1000)} = ${pick(WORDS)}(${pick(WORDS)}, ${below(100_000)});`;
  const files: File[] = Array.from({ length: fileCount }, (_, i) => ({
    path: `${pick(["src", "src", "lib", "test"])}/${pick(WORDS)}/${pick(WORDS)}/${pick(WORDS)}_${i}.ts`,
    lines: Array.from({ length: LINES_PER_FILE }, line),
  }));
  /** A side branch, and what it has changed: a merge brings that in. */
  let side: { mark: number; left: number; readonly changes: string[] } | undefined;
  let tip = 0;
  for (let mark = 1; mark <= commits; mark++) {
    const isOnSide = side !== undefined && side.left > 0;
    const isMerge = side !== undefined && side.left === 0;
    const from = isOnSide ? side!.mark : tip;
    const changes: string[] = mark === 1
      ? [put({ path: "README.md", lines: ["# A grown project"] }), ...files.map(put)]
      : [];
    if (isMerge) changes.push(...side!.changes);
    else if (mark > 1) { for (let i = 0; i <= below(4); i++) changes.push(change(pick(files), mark)); }
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
      side = { mark: tip, left: 1 + below(5), changes: [] };
    }
  }

  function change(file: File, mark: number): string {
    if (random() < 0.03) {
      const old = file.path;
      file.path = old.replace(/[^/]*$/, `${pick(WORDS)}_${below(1_000_000)}_${mark}.ts`);
      return `R ${old} ${file.path}`;
    }
    file.lines.splice(below(file.lines.length), below(3), ...Array.from({ length: below(3) }, line));
    if (file.lines.length < LINES_PER_FILE / 2) {
      file.lines.push(...Array.from({ length: LINES_PER_FILE }, line));
    }
    return put(file);
  }
}

function put({ path, lines }: File): string {
  return `M 100644 inline ${path}\n${text(lines.join("\n") + "\n")}`;
}

function text(content: string): string {
  return `data ${new TextEncoder().encode(content).length}\n${content}`;
}

/** Numbers from 0 to below 1: a linear congruential generator. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
