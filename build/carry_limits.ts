/**
 * Makes `docs/limits.md`: each limit of `build/limits.ts` with its value, its meaning (the comment of the
 * constant) and its place in the code. With `--check`, which `npm run check` uses, it only compares the two.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Chapter, CHAPTERS, type Limit, type Topic } from "./limits.ts";
import { markdownTable, wrapped } from "./markdown.ts";

const ROOT = new URL("../", import.meta.url);
const FILE = new URL("docs/limits.md", ROOT);
const COMMAND = "node build/carry_limits.ts";

const HEAD = `# Limits

Each limit is a named constant next to the code that enforces it. \`${COMMAND}\` makes this page
from these constants and their comments, and \`npm run check\` compares. Other documents link here.
`;

export async function limitsDocument(): Promise<string> {
  const chapters = await Promise.all(CHAPTERS.map(chapterText));
  return [HEAD, ...chapters].join("\n");
}

async function chapterText({ title, text, topics }: Chapter): Promise<string> {
  const parts = await Promise.all(topics.map(topicText));
  return [`## ${title}\n\n${wrapped(text)}\n`, ...parts].join("\n");
}

async function topicText({ title, beyond, limits }: Topic): Promise<string> {
  const rows = await Promise.all(limits.map(rowOf));
  const table = markdownTable([["Limit", "Value", "Constant"], ...rows]);
  return `### ${title}\n\n${wrapped(`Beyond: ${beyond}`)}\n\n${table}\n`;
}

/** Meaning, value and place of a limit. */
async function rowOf(limit: Limit): Promise<[string, string, string]> {
  const { of, says, factor = 1, unit } = typeof limit === "string" ? { of: limit, says: undefined } : limit;
  const [path, members] = of.split("#") as [string, string];
  const [name, ...rest] = members.split(".") as [string, ...string[]];
  const value = await valueOf(path, name, rest);
  const exact = Number((value * factor).toPrecision(12));
  return [says ?? meaningOf(path, name), shown(exact, unit ?? unitOf(name)), `\`${members}\`, \`${path}\``];
}

async function valueOf(path: string, name: string, members: readonly string[]): Promise<number> {
  // The page runs only in browsers, so its modules cannot be imported here.
  const exported: Record<string, unknown> = path.startsWith("extensions/page/")
    ? {}
    : await import(new URL(path, ROOT).href);
  const whole = name in exported ? exported[name] : privateConstant(path, name);
  const value = members.reduce((value, member) => (value as Record<string, unknown>)[member], whole);
  if (typeof value !== "number") {
    throw new TypeError(`${path} has no number ${name}: correct build/limits.ts`);
  }
  return value;
}

/** The value of a constant that is not exported. Its expression may contain only digits and operators. */
function privateConstant(path: string, name: string): number | undefined {
  const declaration = new RegExp(`^(?:export )?const ${name}(?:: number)? = ([\\d_.\\s*+/()-]+);`, "m");
  const [, text] = declaration.exec(sourceOf(path)) ?? [];
  return text === undefined ? undefined : Number(new Function(`return ${text}`)());
}

/** First sentence of a constant's comment. The unit is left out, since the value shows it. */
function meaningOf(path: string, name: string): string {
  const source = sourceOf(path);
  const start = source.search(new RegExp(`^(?:export )?const ${name}\\b`, "m"));
  const [, comment] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\n$/.exec(source.slice(0, start)) ?? [];
  if (start < 0 || comment === undefined) {
    throw new Error(`${path} has no comment for ${name}: write one, or "says" in build/limits.ts`);
  }
  const text = comment.replaceAll(/\s*\n \* ?/g, " ").replaceAll(/\{@link (\w+)\}/g, "`$1`").trim();
  return text.replace(/\.(?:\s.*)?$/s, "").replace(
    /, in (?:bytes|milliseconds|seconds|characters|UTF-16 units)(?=[,:;.]|$)/,
    "",
  )
    .replace(/ \([\d., ]+\)$/, "").replaceAll("|", "\\|");
}

function sourceOf(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

/** The unit at the end of a constant's name. */
function unitOf(name: string): string | undefined {
  if (name.endsWith("_MS")) return "milliseconds";
  if (name.endsWith("_SECONDS")) return "seconds";
  if (name.endsWith("_BYTES")) return "bytes";
  return /_(?:LENGTH|CHARACTERS|UNITS)$/.test(name) ? "characters" : undefined;
}

/** Units for bytes and times, largest first. */
const LARGER: Readonly<Record<string, readonly (readonly [factor: number, unit: string])[]>> = {
  bytes: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]],
  milliseconds: [[3_600_000, "h"], [60_000, "min"], [1000, "s"], [1, "ms"]],
  seconds: [[3600, "h"], [60, "min"], [1, "s"]],
};

/** Writes a value in the largest unit that needs no more than a half: 1.5 MiB, but 1300 KiB. */
function shown(value: number, unit: string | undefined): string {
  const fits = ([factor]: readonly [number, string]) => value >= factor && (2 * value) % factor === 0;
  const [factor, name] = LARGER[unit ?? ""]?.find(fits) ?? [1, unit];
  const number = (value / factor).toLocaleString("en-US");
  return name === undefined ? number : `${number} ${name}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = await limitsDocument();
  if (!process.argv.includes("--check")) writeFileSync(FILE, made);
  else if (readFileSync(FILE, "utf8") !== made) {
    process.stderr.write(`Limits have changed: run \`${COMMAND}\`\n`);
    process.exitCode = 1;
  }
}
