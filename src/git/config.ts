/** Parses configuration files of git (git-config(1)). Includes are not followed. */

const SECTION = /^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]/;
const VARIABLE = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/s;

/**
 * Returns the last value of each variable, by its name in lower case, such as `user.name`. The case of a
 * subsection is preserved. Malformed lines are skipped.
 */
export function parseConfig(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = "";
  // A backslash at the end of a line joins the line with the next line.
  for (let line of text.replace(/\r\n/g, "\n").replace(/\\\n/g, "").split("\n")) {
    const [header, name = "", subsection] = SECTION.exec(line) ?? [];
    if (header !== undefined) {
      section = name.toLowerCase() +
        (subsection === undefined ? "" : `.${subsection.replace(/\\(.)/g, "$1")}`);
      line = line.slice(header.length);
    }
    const [, variable, value = "true"] = VARIABLE.exec(line) ?? [];
    if (variable !== undefined) values.set(`${section}.${variable.toLowerCase()}`, readValue(value));
  }
  return values;
}

/** Returns the value in a line: removes quotes, escapes, comments, and unquoted white space at both ends. */
function readValue(text: string): string {
  let value = "";
  let end = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === "#" || character === ";")) break;
    else if (character === "\\") value += unescape(text[++at] ?? "");
    else if (isQuoted || /\S/.test(character) || value !== "") value += character;
    if (isQuoted || /\S/.test(character)) end = value.length;
  }
  return value.slice(0, end);
}

function unescape(character: string): string {
  return { n: "\n", t: "\t", b: "\b" }[character] ?? character;
}
