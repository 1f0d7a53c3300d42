/** A table of Markdown as `deno fmt` writes it: all cells of a column have the same width. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const padded = rows.map((row) => line(row.map((cell, i) => cell.padEnd(widths[i]!))));
  return [padded[0]!, line(widths.map((width) => "-".repeat(width))), ...padded.slice(1)].join("\n");
}
