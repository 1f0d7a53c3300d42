/** What the documents name is there, what docs/api.md numbers is what comments cite, and its routes are those of the service. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readChangelog } from "../build/changelog.ts";
import { helpOf } from "../adapters/cli/help.ts";
import { withTables } from "../build/document_options.ts";

const ROOT = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");
const { scripts } = JSON.parse(read("package.json"));

/** All files below a folder, as paths from the root. */
function filesBelow(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
}

const files = ["src", "extensions", "adapters", "test", "bench", "examples", "docs"].flatMap(filesBelow);
const innerReadmes = files.filter((path) => path.endsWith("/README.md") && !path.includes("/node_modules/"));
const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...files.filter((path) => /^docs\/[^/]+\.md$/.test(path)),
  ...innerReadmes,
].sort();

/** Commands of npm itself. */
const OF_NPM = ["install", "ci", "outdated"];

/** Code in a document: between backticks, in fences, and in indented lines. */
function codeOf(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`|^ *```[^\n]*\n([\s\S]*?)^ *```|^ {4}(\S.*)$/gm)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

for (const document of DOCUMENTS) {
  const code = codeOf(read(document));

  describe(document, () => {
    it("names files and folders that exist", () => {
      const paths = code.flatMap((part) =>
        part.match(/(?:^|\s)(?:(?:src|adapters|test|examples|docs|deploy|\.ci)\/[\w./-]*\w\/?|mod\.ts)/g) ??
          []
      );
      const absent = paths.map((path) => path.trim()).filter((path) => !existsSync(new URL(path, ROOT)));
      assert.deepEqual(absent, []);
    });

    it("names commands of package.json", () => {
      const commands = code.flatMap((part) =>
        [...part.matchAll(/\bnpm (?:run )?(start|test|[a-z]+(?::[a-z]+)?)/g)].map((match) => match[1]!)
      );
      assert.deepEqual(commands.filter((name) => !(name in scripts) && !OF_NPM.includes(name)), []);
    });

    it("links to documents and sections that exist", () => {
      const links = [...read(document).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
      const folder = new URL(".", new URL(document, ROOT));
      const dangling = links.filter(([, path = "", section]) => {
        const target = path === "" ? new URL(document, ROOT) : new URL(path, folder);
        if (!existsSync(target)) return true;
        return section !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(section);
      });
      assert.deepEqual(dangling.map(([link]) => link), []);
    });
  });
}

/** Where links may lead to in a document: what it has an anchor for, and its headings. */
function anchorsOf(text: string): string[] {
  const anchors = [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map((match) => match[1]!);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1]!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  );
  return [...anchors, ...headings];
}

for (const document of innerReadmes) {
  describe(document, () => {
    it("names files beside or below it that exist", () => {
      const folder = document.slice(0, document.lastIndexOf("/"));
      const named = codeOf(read(document)).filter((part) => /^[\w./-]+\.(?:ts|mjs|sh|md)$/.test(part));
      const absent = named.filter((name) =>
        !files.some((path) => path.startsWith(`${folder}/`) && path.endsWith(`/${name}`)) &&
        !existsSync(new URL(name, ROOT)) && !existsSync(new URL(`src/${name}`, ROOT))
      );
      assert.deepEqual(absent, []);
    });
  });
}

describe("folders of src/ and extensions/ with more than five files", () => {
  const folders = files.filter((path) => /^(?:src|extensions)\//.test(path));
  const sourcesIn = (folder: string) =>
    files.filter((path) => path.endsWith(".ts") && path.slice(0, path.lastIndexOf("/")) === folder);
  const large = folders.filter((folder) => sourcesIn(folder).length > 5);

  it("have a README, or their parent has one", () => {
    const without = large.filter((folder) =>
      !innerReadmes.includes(`${folder}/README.md`) &&
      !innerReadmes.includes(folder.replace(/\/\w+$/, "/README.md"))
    );
    assert.deepEqual(without.sort(), []);
  });
});

const options = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g));

describe("docs/command.md", () => {
  it("lists the options that the command reads (node build/document_options.ts writes them)", () => {
    const text = read("docs/command.md");
    assert.equal(withTables(text), text);
  });
});

/** Words of a document. */
const wordsOf = (path: string) => read(path).match(/[\p{L}\p{N}][^\s|]*/gu)!.length;

describe("README.md", () => {
  it("stays short", () => {
    assert.ok(wordsOf("README.md") <= 2500, `${wordsOf("README.md")} words`);
  });

  it("names options of the command", () => {
    const section = read("README.md").split("## The command")[1]!.split("\n### ")[0]!;
    const known = options(helpOf("serve"));
    const rows = section.match(/^\|.*$/gm)!.join("\n");
    assert.deepEqual([...options(rows)].filter((option) => !known.has(option)), []);
  });
});

describe("docs/migrate.md", () => {
  it("names options of the command, and of npm, rad-web and systemctl", () => {
    const known = options(helpOf("serve"));
    const others = [...options(read("docs/migrate.md"))].filter((option) => !known.has(option));
    assert.deepEqual(others, ["--global", "--connect", "--now"]);
  });

  it("stays short", () => {
    assert.ok(wordsOf("docs/migrate.md") <= 700, `${wordsOf("docs/migrate.md")} words`);
  });
});

describe("docs/performance.md", () => {
  it("has at most 900 words beside its tables and commands", () => {
    const text = read("docs/performance.md").split("<!-- measured -->")[0]!.replaceAll(/```.*?```/gs, "");
    const words = text.split("\n").filter((line) => !line.startsWith("|")).join(" ").match(/\S+/g)!;
    assert.ok(words.length <= 900, `${words.length} words`);
  });
});

describe("CHANGELOG.md", () => {
  const form = `# Changelog

## [Unreleased]

### Fixed

- One.

## [0.2.0] - 2026-12-24

### Added

- Two
  lines.
- Three.

### Security

- Four.

## [0.1.0] - 2026-11-24

### Added

- Five.

[Unreleased]: #unreleased
[0.2.0]: https://example.org/0.2.0
[0.1.0]: https://example.org/0.1.0
`;

  it("is of the form of keepachangelog.com", () => {
    assert.deepEqual(readChangelog(form), [
      { name: "Unreleased", date: undefined, changes: 1 },
      { name: "0.2.0", date: "2026-12-24", changes: 3 },
      { name: "0.1.0", date: "2026-11-24", changes: 1 },
    ]);
    assert.equal(readChangelog(read("CHANGELOG.md"))[0]!.name, "Unreleased");
  });

  for (
    const [what, before, after] of [
      ["a change outside of a kind", "### Fixed\n\n", ""],
      ["a kind without changes", "- One.\n", ""],
      ["an unknown kind", "### Fixed", "### Mended"],
      ["kinds in another order", "### Security", "### Added"],
      ["a release without a date", " - 2026-12-24", ""],
      ["a release without a link", "[0.2.0]: https://example.org/0.2.0\n", ""],
      ["nothing for what is unreleased", "## [Unreleased]", "## [0.3.0] - 2026-12-24"],
      ["an older release first", "## [0.2.0]", "## [0.0.2]"],
      ["a text that is no change", "- Three.", "Three."],
    ] as const
  ) {
    it(`would be refused with ${what}`, () => {
      assert.ok(form.includes(before));
      assert.throws(
        () => readChangelog(form.replace(before, after)),
        /^Error: CHANGELOG\.md is not of the form/,
      );
    });
  }
});

const api = read("docs/api.md");
/** Numbers of its sections, in their order. */
const sections = [...api.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map((match) => match[1]!);

describe("docs/api.md", () => {
  it("numbers its sections without a gap, and has an anchor of the same name before each", () => {
    const next = new Map<string, number>();
    for (const number of sections) {
      const parent = number.replace(/\.?\d+$/, "");
      const expected = (next.get(parent) ?? 0) + 1;
      assert.equal(number, parent === "" ? `${expected}` : `${parent}.${expected}`);
      next.set(parent, expected);
    }
    const anchored = [...api.matchAll(/^<a id="([\d.]+)"><\/a>\n\n#+ (\d+(?:\.\d+)*)\.? /gm)];
    assert.deepEqual(anchored.map((match) => match[1]), sections);
    assert.deepEqual(anchored.map((match) => match[2]), sections);
  });

  it("has all sections that comments cite", () => {
    const sources = files.filter((path) => /^(?:src|adapters)\/.*\.ts$/.test(path));
    const cited = sources.flatMap((path) => citationsOf(read(path)).map((number) => ({ path, number })));
    assert.deepEqual(cited.filter(({ number }) => !sections.includes(number)), []);
    // Else the pattern has missed them.
    assert.ok(cited.some(({ number }) => number === "4.2.8"));
  });

  it("has all routes in its tables, and no others", async () => {
    const listed = [...api.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) +\| `([^`]+)` /gm)];
    // Some routes are in both dialects.
    const named = new Set(listed.map((match) => `${match[1]} ${match[2]}`));
    assert.deepEqual([...named].sort(), await allRoutes());
  });

  it("names routes of the service wherever it names a method and a path", async () => {
    const routes = await allRoutes();
    const named = [...api.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?\s]*)`/g)].map(
      ([, method, path]) => `${method} ${/^\/(?:api|raw)\b/.test(path!) ? "" : "/api/v1"}${path}`,
    );
    assert.ok(named.length > 0);
    assert.deepEqual(named.filter((route) => !routes.includes(route)), []);
  });

  it("quotes errors that the sources have", () => {
    const sources = files.filter((path) => /^(?:src|extensions|adapters)\/.*\.ts$/.test(path)).map(read).join(
      "\n",
    );
    const rows = [...api.matchAll(/^\| [^|]*\b[45]\d\d\b[^|]*\|([^|]*)\|/gm)].map((match) => match[1]!);
    const quoted = rows.flatMap((row) => [...row.matchAll(/``\s?(.*?)\s?``|`([^`]+)`/g)])
      .map((match) => match[1] ?? match[2]!).filter((text) => text.includes(" "));
    assert.ok(quoted.length > 50, `only ${quoted.length}`);
    assert.deepEqual(quoted.filter((text) => !messagePattern(text).test(sources)), []);
  });

  it("names options of the command", () => {
    const known = options(helpOf("serve"));
    assert.deepEqual([...options(api)].filter((option) => !known.has(option)), []);
  });
});

/** Finds an error in the sources, where other text stands for ids, numbers and names, and quotation marks are escaped. */
function messagePattern(text: string): RegExp {
  const parts = text.split(/…|"[^"]*"|\d{3,}/).map((part) => part.trim()).filter((part) => part.length > 2);
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("`", "\\\\?`"));
  return new RegExp(escaped.join("[^\\n]{1,60}?"));
}

/** The sections that comments cite: `(4.2)`, `(2.9, 3.1)`, `(4.2.2 to 4.2.5)`, `(4.8, alternate variant)`, `docs/api.md §4.2`. */
function citationsOf(source: string): string[] {
  const comments = source.match(/\/\*[\s\S]*?\*\/|\/\/.*$/gm) ?? [];
  const number = /\d{1,2}(?:\.\d+)*/g;
  return comments.flatMap((comment) => {
    const lists = comment.match(/(?<!\w)\(\d{1,2}(?:\.\d+)*(?:(?:,| to| and) [\w. -]+)*\)/g) ?? [];
    const named = comment.match(/docs\/api\.md\s(?:\*\s)?§\d+(?:\.\d+)*/g) ?? [];
    return [...lists, ...named].flatMap((text) => text.match(number) ?? []);
  });
}

/** The routes of all services, each as method and path. */
async function allRoutes(): Promise<string[]> {
  const { allRoutes } = await import("../src/routes/table.ts");
  const { allExtensions } = await import("./support/extensions.ts");
  const services = (["v1", "today", "both"] as const).flatMap((api) =>
    (["key", "wallet"] as const).flatMap((signIn) =>
      allRoutes({ api, signIn }, allExtensions({ page: true }))
    )
  );
  return [...new Set(services.map(([method, pattern]) => `${method} ${pattern}`))].sort();
}
