/** Writes `build/contract/examples.ts` anew: `node test/contract/record_examples.ts`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDemoHome } from "../../adapters/cli/demo/home.ts";
import { recordExamples } from "./demo_examples.ts";

const FILE = new URL("../../build/contract/examples.ts", import.meta.url);

const home = mkdtempSync(join(tmpdir(), "xylem-examples-"));
try {
  await makeDemoHome(home);
  const examples = Object.entries(await recordExamples(home)).sort(([a], [b]) => a < b ? -1 : 1);
  const start = "= {";
  const text = readFileSync(FILE, "utf8");
  const lines = examples.map(([name, { request, answer }]) =>
    `  ${name}: {\n${
      request === undefined ? "" : `    request:\n      ${quoted(request)},\n`
    }    answer:\n      ${quoted(answer)},\n  },\n`
  );
  const head = text.slice(0, text.indexOf(start, text.indexOf("export const EXAMPLES")) + start.length);
  writeFileSync(FILE, `${head}\n${lines.join("")}};\n`);
} finally {
  rmSync(home, { recursive: true });
}

/** A literal of a text. */
function quoted(text: string): string {
  return text.includes("'") || text.includes("\\")
    ? JSON.stringify(text)
    : `'${text.replaceAll("\n", "\\n")}'`;
}
