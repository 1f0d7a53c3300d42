/** Writes the options of the commands into docs/command.md, from the tables that the commands read. */
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { optionsRows, type OptionTable } from "../adapters/cli/command_line.ts";
import { PUBLISH_OPTIONS, SERVE_OPTIONS, SESSION_OPTIONS } from "../adapters/cli/options.ts";

const FILE = new URL("../docs/command.md", import.meta.url);
const TABLES: Readonly<Record<string, OptionTable>> = {
  "xylem serve": SERVE_OPTIONS,
  "xylem session": SESSION_OPTIONS,
  "xylem publish": PUBLISH_OPTIONS,
};

/** The document with the tables of today, in place of those that it has. */
export function withTables(text: string): string {
  return Object.entries(TABLES).reduce((text, [command, table]) => {
    const [start, rest] = text.split(`## ${command}\n`) as [string, string];
    const written = rest.replace(/^\|.*\n(?:\|.*\n)*/m, `${tableOf(table)}\n`);
    return `${start}## ${command}\n${written}`;
  }, text);
}

/** A table in the form of `deno fmt`: all cells of a column are as wide. */
function tableOf(table: OptionTable): string {
  const rows = [["Option", "Meaning"], ["-", "-"], ...optionsRows(table)];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => {
    const cells = row.map((cell, i) => cell.padEnd(widths[i]!, cell === "-" ? "-" : " "));
    return `| ${cells.join(" | ")} |`;
  }).join("\n");
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(FILE, withTables(readFileSync(FILE, "utf8")));
}
