/** What can be odd about the message of an entry, its trailers and the rest of its header. */
import type { Key, Oddity, Surroundings } from "./raw.ts";

function trailers(change: (trailers: string[], around: Surroundings & { key: Key }) => string[]): Oddity {
  return { commit: (commit, around) => void (commit.trailers = change(commit.trailers, around)) };
}
const resourceOf = (lines: readonly string[]) => /Rad-Resource: (\w+)/.exec(lines.join("\n"))?.[1] ?? "";

/** Odd commits by name. */
export const ODD_COMMITS: Readonly<Record<string, Oddity>> = {
  "trailer.folded": trailers((lines) => lines.map((line) => line.replace(": ", ":\n "))),
  "trailer.folded.half": trailers((lines) => lines.map((line) => line.replace(/.{20}$/, "\n $&"))),
  "trailer.foreign": trailers((lines, { commits }) => [`Foreign: ${commits[0]}`, ...lines]),
  "trailer.foreign.short": trailers((lines) => [`Foreign: abc123`, ...lines]),
  "trailer.foreign.text": trailers((lines) => [`Signed-off-by: a <a@b>`, ...lines]),
  "trailer.foreign.empty": trailers((lines) => [`Foreign:`, ...lines]),
  "trailer.foreign.long": trailers((lines) => [`Foreign: ${"a".repeat(41)}`, ...lines]),
  "trailer.foreign.last": trailers((lines, { commits }) => [...lines, `Foreign: ${commits[0]}`]),
  "trailer.foreign.folded": trailers((lines, { commits }) => [...lines, `Foreign: ${commits[0]}\n more`]),
  "trailer.foreign.upper": trailers((
    lines,
    { commits },
  ) => [`Foreign: ${commits[0]?.toUpperCase()}`, ...lines]),
  "trailer.related.short": trailers((lines) => [`Rad-Related: abc123`, ...lines]),
  "trailer.related.missing": trailers((lines) => [`Rad-Related: ${"f".repeat(40)}`, ...lines]),
  "trailer.related.text": trailers((lines) => [`Rad-Related: text`, ...lines]),
  "trailer.resource.short": trailers((lines) =>
    lines.map((line) => line.replace(/(?<=Resource: .{39})./, ""))
  ),
  "trailer.resource.upper": trailers((lines) =>
    lines.map((line) => line.replace(/(?<=Resource: ).*/, (oid) => oid.toUpperCase()))
  ),
  "trailer.resource.twice": trailers((lines) => [...lines, `Rad-Resource: ${resourceOf(lines)}`]),
  "trailer.resource.two": trailers((lines, { commits }) => [...lines, `Rad-Resource: ${commits[0]}`]),
  "trailer.resource.none": trailers((lines) => lines.filter((line) => !line.startsWith("Rad-Resource"))),
  "trailer.resource.related": trailers((lines) => [...lines, `Rad-Related: ${resourceOf(lines)}`]),
  "trailer.case": trailers((lines) => lines.map((line) => line.replace("Rad-Resource", "rad-resource"))),
  "trailer.blank": trailers((lines) => lines.map((line) => line.replace(": ", " : "))),
  "trailer.blanks": trailers((lines) => lines.map((line) => `${line.replace(": ", ":   ")}  `)),
  "trailer.joined": trailers((lines) => lines.map((line) => line.replace(": ", ":"))),
  "trailer.tab": trailers((lines) => lines.map((line) => line.replace(": ", ":\t"))),
  "trailer.equals": trailers((lines) => lines.map((line) => line.replace(": ", "="))),
  "trailer.text": trailers((lines) => ["some words", ...lines]),
  "trailer.text.last": trailers((lines) => [...lines, "some words"]),
  "trailer.comment": trailers((lines) => ["# a comment", ...lines]),
  "trailer.indented": trailers((lines) => lines.map((line) => ` ${line}`)),
  "trailer.crlf": trailers((lines) => lines.map((line) => `${line}\r`)),
  "trailer.divider": trailers((lines) => [...lines, "", "---", "more"]),
  "trailer.paragraph": trailers((lines) => [...lines, "", "One more paragraph."]),
  "trailer.empty.lines": trailers((lines) => [...lines, "", ""]),
  "trailer.earlier": trailers((lines, { commits }) => [`Rad-Related: ${commits[0]}`, "", ...lines]),
  "trailer.parted": trailers((lines) => lines.flatMap((line) => [line, ""])),
  "trailer.underscore": trailers((lines, { commits }) => [`For_eign: ${commits[0]}`, ...lines]),
  "trailer.unicode": trailers((lines, { commits }) => [`Förmlich: ${commits[0]}`, ...lines]),
  "trailer.close": { commit: (commit) => void (commit.end = "") },
  "trailer.wide": { commit: (commit) => void (commit.end = "\n\n\n") },
  "trailer.blank.line": { commit: (commit) => void (commit.end = "\n  ") },
  "title.none": { commit: (commit) => void (commit.title = commit.end = "") },
  "title.trailer": { commit: (commit) => void (commit.title = "Title: abc") },
  "title.long": { commit: (commit) => void (commit.title = "word ".repeat(500)) },
  "title.bytes": { commit: (commit) => void (commit.title = "\ue000") },
  "title.nul": { commit: (commit) => void (commit.title = "a\0b") },
  "title.unicode": { commit: (commit) => void (commit.title = "\u2028 \ufeff 🌱") },

  // Parents and other lines of the header.
  "parent.resource.none": {
    commit: (commit) =>
      void (commit.parents = commit.parents.filter((oid) => oid !== resourceOf(commit.trailers))),
  },
  "parent.twice": { commit: (commit) => void (commit.parents = [...commit.parents, ...commit.parents]) },
  "parent.many": {
    commit: (commit) => {
      const missing = Array.from({ length: 300 }, (_, i) => i.toString(16).padStart(40, "e"));
      commit.parents = [...commit.parents, ...missing];
    },
  },
  "parent.upper": {
    commit: (commit) => void (commit.parents = commit.parents.map((oid) => oid.toUpperCase())),
  },
  "parent.short": { commit: (commit) => void commit.parents.push("abc123") },
  "parent.reversed": { commit: (commit) => void commit.parents.reverse() },
  "parent.late": {
    commit: (commit, { commits }) => void commit.before.push(`parent ${commits[1]}`),
  },
  "parent.related": {
    commit: (commit) => void commit.trailers.unshift(`Rad-Related: ${commit.parents[0] ?? "f".repeat(40)}`),
  },
  "tree.upper": { commit: (commit) => void (commit.tree = commit.tree.toUpperCase()) },
  "header.encoding": { commit: (commit) => void commit.before.push("encoding ISO-8859-1") },
  "header.unknown": { commit: (commit) => void commit.before.push("unknown some value") },
  "header.unknown.after": { commit: (commit) => void commit.after.push("unknown some value") },
  "header.unknown.folded": { commit: (commit) => void commit.before.push("unknown some\n value\n \n more") },
  "header.name": { commit: (commit) => void commit.before.push("unknown") },
  "header.empty.value": { commit: (commit) => void commit.before.push("unknown ") },
  "header.space": { commit: (commit) => void commit.before.push("  unknown value") },
  "header.tag": {
    commit: (commit) => void commit.before.push("mergetag object abc\n type commit\n tag v1\n \n text"),
  },
  "header.crlf": { text: (text) => text.replace("\nauthor", "\r\nauthor") },
  "header.alone": { text: (text) => text.replace(/\n\n[^]*$/, "\n") },
  "header.alone.end": { text: (text) => text.replace(/\n\n[^]*$/, "\n\n") },
  "header.unended": { text: (text) => text.replace(/\n\n[^]*$/, "") },
  "header.nul": { commit: (commit) => void commit.before.push("unknown a\0b") },
  "header.bytes": { commit: (commit) => void commit.before.push("unknown \ue000") },
  "end.none": { text: (text) => text.replace(/\n$/, "") },
};
