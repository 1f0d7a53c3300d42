/** Writes the options of the commands into `docs/command.md`, from the tables that the commands read. */
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { optionsRows, type OptionTable } from "../adapters/cli/command_line.ts";
import { PUBLISH_OPTIONS, SERVE_OPTIONS, SESSION_OPTIONS } from "../adapters/cli/options.ts";
import { markdownTable } from "./markdown.ts";

const FILE = new URL("../docs/command.md", import.meta.url);
const TABLES: Readonly<Record<string, OptionTable>> = {
  "xylem serve": SERVE_OPTIONS,
  "xylem session": SESSION_OPTIONS,
  "xylem publish": PUBLISH_OPTIONS,
};

/** Replaces the tables of the document with current ones. */
export function withTables(text: string): string {
  return Object.entries(TABLES).reduce((text, [command, table]) => {
    const [start, rest] = text.split(`## ${command}\n`) as [string, string];
    const rows = [["Option", "Meaning"], ...optionsRows(table)];
    const written = rest.replace(TABLE, () => `${markdownTable(rows)}\n`);
    return `${start}## ${command}\n${written}`;
  }, text);
}

/** Matches the first table of a text. */
export const TABLE: RegExp = /^\|.*\n(?:\|.*\n)*/m;

if (argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(FILE, withTables(readFileSync(FILE, "utf8")));
}
