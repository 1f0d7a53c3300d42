// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * How much code there is: `node test/lines.ts [--folders]`. Counts the lines of `src/` and `adapters/`, without what is
 * made or carried. A line that begins with `/` or `*` counts as a comment, whatever it is.
 */
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const ROOT = new URL("../", import.meta.url);

/** Made by commands of `build/`, and code of others. */
const MADE = /^src\/client\/contract\.ts$|\/carried(?:\/|\.ts$)/;

/** Lines of a file: code, lines of comments alone, and all, with the blank ones. */
export interface Lines {
  readonly file: string;
  readonly code: number;
  readonly comments: number;
  readonly all: number;
}

/** The lines of each file. */
export function countLines(): readonly Lines[] {
  const files = ["src", "extensions", "adapters"].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
  );
  return files.filter((file) => !MADE.test(file)).sort().map((file) => {
    const lines = readFileSync(new URL(file, ROOT), "utf8").trimEnd().split("\n");
    const comments = lines.filter((line) => /^\s*(?:\/|\*)/.test(line)).length;
    const blank = lines.filter((line) => line.trim() === "").length;
    return { file, code: lines.length - comments - blank, comments, all: lines.length };
  });
}

/** The sum of the lines of files. */
export function sumOf(counted: readonly Lines[], kind: "code" | "comments"): number {
  return counted.reduce((sum, lines) => sum + lines[kind], 0);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { folders: { type: "boolean", default: false } } });
  const counted = countLines();
  if (values.folders) {
    const folders = Map.groupBy(counted, ({ file }) => file.split("/").slice(0, 2).join("/"));
    for (const [folder, lines] of folders) {
      console.log(`${String(sumOf(lines, "code")).padStart(6)} ${folder}`);
    }
  }
  console.log(`${sumOf(counted, "code")} lines of code, ${sumOf(counted, "comments")} of comments`);
}
