/** What the documents name is there. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { HELP } from "../adapters/cli/options.ts";

const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const { scripts } = JSON.parse(read("package.json"));

for (const document of DOCUMENTS) {
  const text = read(document);
  const code = [...text.matchAll(/`([^`\n]+)`|```\w*\n([\s\S]*?)```/g)].map((match) =>
    match[1] ?? match[2] ?? ""
  );

  describe(document, () => {
    it("names files and folders that exist", () => {
      const paths = code.flatMap((part) =>
        part.match(/(?:^|\s)(?:(?:src|adapters|test|examples|\.ci)\/[\w./-]*\w\/?|mod\.ts)/g) ?? []
      );
      const absent = paths.map((path) => path.trim()).filter((path) =>
        !existsSync(new URL(`../${path}`, import.meta.url))
      );
      assert.deepEqual(absent, []);
    });

    it("names commands of package.json", () => {
      const commands = code.flatMap((part) =>
        [...part.matchAll(/\bnpm (?:run )?(start|test|[a-z]+)/g)].map((match) => match[1]!)
      );
      assert.deepEqual(
        commands.filter((name) => !(name in scripts) && name !== "install" && name !== "ci"),
        [],
      );
    });
  });
}

describe("README.md", () => {
  it("lists the options of the command, all of them", () => {
    const options = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g));
    const section = read("README.md").split("## The command")[1]!.split("\n### ")[0]!;
    const named = options(section);
    assert.deepEqual([...options(HELP)].filter((option) => !named.has(option)), []);
  });
});
