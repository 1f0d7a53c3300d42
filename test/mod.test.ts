/** The public door: every name in it is listed, documented, and has one place. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** Exported names of `mod.ts` with their files. */
function exportsOf(text: string): { readonly name: string; readonly file: string }[] {
  return [...text.matchAll(/^export (?:type )?\{([^}]+)\} from "\.\/([^"]+)";$/gm)].flatMap((match) =>
    match[1]!.split(",").map((name) => name.replace("type ", "").trim()).filter(Boolean)
      .map((name) => ({ name, file: match[2]! }))
  );
}

describe("mod.ts", () => {
  const names = exportsOf(read("mod.ts"));

  it("lists each name once, and nothing by a star", () => {
    assert.equal(new Set(names.map(({ name }) => name)).size, names.length);
    assert.doesNotMatch(read("mod.ts"), /export \*/);
  });

  it("exports only what has a doc comment", () => {
    const bare = names.filter(({ name, file }) =>
      !new RegExp(
        `\\*/\\nexport (?:async )?(?:const|function\\*?|(?:abstract )?class|interface|type) ${name}\\b`,
      ).test(read(file))
    );
    assert.deepEqual(bare, []);
  });

  it("says by an example how to begin", () => {
    for (const name of ["createApi", "toResponse", "NODE_OWNER", "createWorkerPool"]) {
      const { file } = names.find((one) => one.name === name)!;
      const before = read(file).split(new RegExp(`export (?:const|function) ${name}\\b`))[0]!;
      assert.match(before.slice(before.lastIndexOf("/**")), /@example/, name);
    }
  });
});
