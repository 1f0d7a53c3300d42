/** Formats Markdown as `deno fmt` does. */

/** A table in which all cells of a column have the same width. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const padded = rows.map((row) => line(row.map((cell, i) => cell.padEnd(widths[i]!))));
  return [padded[0]!, line(widths.map((width) => "-".repeat(width))), ...padded.slice(1)].join("\n");
}

const WIDTH = 110;

/** A wrapped paragraph. Code is not split across lines. */
export function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const last = lines.at(-1)!;
    if (last !== "" && last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.join("\n");
}
