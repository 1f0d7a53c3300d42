/** Histories made by chance, the same for the same seed: what changes in them, and how, is what diffs and `lastCommit` have to get right. */

interface Entry {
  readonly mode: "100644" | "100755" | "120000";
  readonly data: string;
}
type Files = Map<string, Entry>;

interface Commit {
  readonly mark: number;
  readonly files: Files;
}

const WORDS =
  "amber birch cedar dune elm fern grove heath iris juniper kelp larch moss nettle oak pine quince reed"
    .split(" ");
const FOLDERS = ["", "src/", "src/deep/", "docs/", "docs/größe/", "a b/"];
const PEOPLE = [
  "Ada Lovelace <ada@example.org>",
  "Éva Mérő <eva@example.org>",
  "Ada Lovelace <ada@home.example>",
];
/** 1 May 2026, UTC. */
const START_SECONDS = 1777593600;
const HEADS = 3;

/** A stream for `git fast-import`: `count` commits on `main` and two side branches, with merges. */
export function generateHistory(seed: number, count: number): string {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const text = (lines: number) =>
    Array.from({ length: lines }, () => `${pick(WORDS)} ${pick(WORDS)} ${Math.floor(random() * 1000)}`);
  const first: Commit = {
    mark: 1,
    files: new Map([["README.md", { mode: "100644", data: "# Generated\n" }]]),
  };
  const heads: Commit[] = Array.from({ length: HEADS }, () => first);
  const stream = [commitText(first, [], "Start", PEOPLE[0]!, START_SECONDS)];

  for (let mark = 2; mark <= count; mark++) {
    const which = Math.floor(random() * HEADS);
    const parents = [heads[which]!];
    const files: Files = new Map(parents[0]!.files);
    const other = pick(heads);
    if (random() < 0.2 && other.mark !== parents[0]!.mark) {
      parents.push(other);
      for (const [path, entry] of other.files) if (random() < 0.7) files.set(path, entry);
    }
    for (let step = 0; step <= random() * 4; step++) change(files, random, pick, text);
    // Times go forward most of the time; ties and steps back are what the order of history has to withstand.
    const timeSeconds = START_SECONDS + mark * 3600 + pick([0, 0, 0, -3600, -7200, 86400]);
    const message = pick(["Change", "Ändern", "Rework\nin two lines", "Fix\n\nWith a body.\n\nAnd more."]);
    heads[which] = { mark, files };
    stream.push(
      commitText(heads[which], parents, `${message}\n\nNumber ${mark}\n`, pick(PEOPLE), timeSeconds),
    );
  }
  for (const [at, head] of heads.entries()) {
    stream.push(`reset refs/heads/${at === 0 ? "main" : `side/${at}`}\nfrom :${head.mark}\n\n`);
  }
  return stream.join("");
}

/** One random change: a new file of some kind, an edit, a rename or copy with or without an edit, a removal, another mode. */
function change(
  files: Files,
  random: () => number,
  pick: <T>(list: readonly T[]) => T,
  text: (lines: number) => string[],
): void {
  const path = pick([...files.keys()]);
  const entry = files.get(path)!;
  const fresh = () =>
    `${pick(FOLDERS)}${pick(WORDS)}-${Math.floor(random() * 100)}.${pick(["txt", "md", "ts"])}`;
  const edited = (): Entry => {
    const lines = entry.data.split("\n");
    lines.splice(
      Math.floor(random() * lines.length),
      Math.floor(random() * 4),
      ...text(Math.floor(random() * 4)),
    );
    return { ...entry, data: lines.join("\n") };
  };
  const kinds: Record<string, () => void> = {
    add: () => void files.set(fresh(), { mode: "100644", data: `${text(4 + random() * 40).join("\n")}\n` }),
    addWithoutNewline: () => void files.set(fresh(), { mode: "100644", data: text(3).join("\n") }),
    addWindows: () => void files.set(fresh(), { mode: "100644", data: text(6).join("\r\n") }),
    addBinary: () => void files.set(fresh(), { mode: "100644", data: `\0\x01${text(2).join("\0")}` }),
    addEmpty: () => void files.set(fresh(), { mode: "100644", data: "" }),
    addLink: () => void files.set(fresh(), { mode: "120000", data: path }),
    edit: () => void files.set(path, edited()),
    editMore: () => void files.set(path, edited()),
    copy: () => void files.set(fresh(), entry),
    copyAndEdit: () => (files.set(fresh(), entry), files.set(path, edited())),
    rename: () => (files.delete(path), files.set(fresh(), entry)),
    renameAndEdit: () => (files.delete(path), files.set(fresh(), edited())),
    remove: () => void (files.size > 3 && files.delete(path)),
    mode: () => void files.set(path, { ...entry, mode: entry.mode === "100644" ? "100755" : "100644" }),
  };
  kinds[pick(Object.keys(kinds))]!();
}

function commitText(
  { mark, files }: Commit,
  parents: readonly Commit[],
  message: string,
  person: string,
  timeSeconds: number,
): string {
  const [from, ...merged] = parents.map((parent) => `:${parent.mark}\n`);
  return [
    `commit refs/generated/${mark}\nmark :${mark}\n`,
    `author ${person} ${timeSeconds - 60} +0200\ncommitter ${person} ${timeSeconds} +0000\n`,
    data(message),
    from ? `from ${from}` : "",
    ...merged.map((parent) => `merge ${parent}`),
    "deleteall\n",
    ...withoutClashes(files).map(([path, entry]) => `M ${entry.mode} inline ${path}\n${data(entry.data)}`),
    "\n",
  ].join("");
}

/** No path may be a folder of another one. */
function withoutClashes(files: Files): [string, Entry][] {
  return [...files].filter(([path]) => ![...files.keys()].some((other) => other.startsWith(`${path}/`)));
}

function data(text: string): string {
  return `data ${new TextEncoder().encode(text).length}\n${text}\n`;
}

/** Numbers from 0 to below 1: a linear congruential generator with the constants of Numerical Recipes. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
