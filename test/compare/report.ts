/** The printed report. Foreign text in it cannot control the terminal. */
import type { Counts, Other, RouteCount } from "./comparison.ts";
import type { Fault } from "./judge.ts";
import { isList, isObject, type Json } from "./json.ts";

/** Characters shown of a foreign text. */
const MAX_SHOWN = 120;

/** Counts of all answers. */
export interface Total {
  readonly asked: number;
  readonly equal: number;
  readonly explained: number;
  readonly unexplained: number;
}

/** Adds the counts of all routes. */
export function totalOf(counts: Counts): Total {
  const total = { asked: 0, equal: 0, explained: 0, unexplained: 0 };
  for (const routes of counts.values()) {
    for (const { asked, equal, explained, unexplained } of routes.values()) {
      total.asked += asked;
      total.equal += equal;
      total.explained += explained;
      total.unexplained += unexplained;
    }
  }
  return total;
}

/** The report, with a line feed at its end. */
export function reportText(base: string, { version }: Other, counts: Counts): string {
  const lines = [`Compared with ${base}, radicle-httpd ${quoted(version)}`];
  for (const [dialect, routes] of counts) {
    lines.push("", dialect === "v1" ? "Version 1 (/projects)" : "Today's dialect (/repos)");
    for (const [route, count] of routes) lines.push(...routeLines(route, count));
  }
  const { asked, equal, explained, unexplained } = totalOf(counts);
  lines.push(
    "",
    `${asked} answers: ${equal} equal, ${explained} differ as documented, ${unexplained} differ otherwise`,
  );
  return `${lines.join("\n")}\n`;
}

/** The lines of a route: its counts, each documented difference, its first faults. */
function routeLines(route: string, { equal, explained, unexplained, known, faults }: RouteCount): string[] {
  const parts = [[equal, "equal"], [explained, "as documented"], [unexplained, "DIFFER"]] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return [
    `  ${route}: ${counts.join(", ")}`,
    ...[...known].map(([{ what, section }, count]) => `    ${count}: ${what} (docs/api.md#${section})`),
    ...faults.flatMap(({ path, fault }) => [`    ${path}`, `      ${faultText(fault)}`]),
  ];
}

/** The difference, their side first. */
function faultText(fault: Fault): string {
  if (!("pointer" in fault)) return `there ${escaped(fault.theirs)}, here ${escaped(fault.ours)}`;
  const member = fault.pointer === "" ? "the answer" : escaped(fault.pointer);
  return `${member}: there ${shown(fault.theirs)}, here ${shown(fault.ours)}`;
}

/** A value in a few words; lists and objects only by their size. */
function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (isList(value)) return `a list of ${value.length}`;
  if (isObject(value)) return `an object of ${Object.keys(value).length} members`;
  return typeof value === "string" ? quoted(value) : String(value);
}

/** The start of a text, in quotes. */
function quoted(text: string): string {
  const isCut = text.length > MAX_SHOWN;
  return `${JSON.stringify(escaped(text.slice(0, MAX_SHOWN)))}${isCut ? "…" : ""}`.replaceAll(
    "\\\\u{",
    "\\u{",
  );
}

/** A text with escapes for control characters and other characters without a glyph. */
function escaped(text: string): string {
  return text.slice(0, 10 * MAX_SHOWN).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
