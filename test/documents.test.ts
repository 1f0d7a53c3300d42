/** Whatever the documents name exists: files, commands, options, links, routes, errors, and the sections that comments cite. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readChangelog } from "../build/changelog.ts";
import { referenceDocument } from "../build/carry_reference.ts";
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
/** Whether a path of a document is that of one of our files. */
const exists = (path: string) => existsSync(new URL(path, ROOT));
const innerReadmes = files.filter((path) =>
  path.endsWith("/README.md") && !path.includes("/node_modules/") && !path.startsWith("docs/")
);
const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...files.filter((path) => /^(?:docs|bench\/notes)\/.*\.md$/.test(path)),
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
        part.match(
          /(?:^|\s)(?:(?:src|extensions|adapters|build|bench|test|examples|docs|deploy|\.ci)\/[\w./-]*\w\/?|mod\.ts)/g,
        ) ??
          []
      );
      const absent = paths.map((path) => path.trim()).filter((path) => !exists(path));
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
    it("names files next to or below it that exist", () => {
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

describe("docs/decisions", () => {
  const decisions = files.filter((path) => /^docs\/decisions\/(?!README).*\.md$/.test(path));

  it("lists each decision", () => {
    const index = read("docs/decisions/README.md");
    assert.deepEqual(decisions.filter((path) => !index.includes(`](${path.split("/").at(-1)})`)), []);
  });

  for (const path of decisions) {
    it(`has choice, reason and what would change it: ${path}`, () => {
      assert.match(
        read(path),
        /^# .+\n\n\w+ \d{4}\.\n\n\*\*Choice\.\*\* [^]+\n\*\*Reason\.\*\* [^]+\n\*\*What would change it\.\*\* /,
      );
    });
  }
});

const options = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g));

describe("docs/command.md", () => {
  it("lists the options that the command reads (node build/document_options.ts writes them)", () => {
    const text = read("docs/command.md");
    assert.equal(withTables(text), text);
  });
});

/** Words of a document, without its code. */
const wordsOf = (path: string) =>
  read(path).replaceAll(/^ *```.*?^ *```/gms, "").match(/[\p{L}\p{N}][^\s|]*/gu)!.length;

/** Most words of documents that somebody reads from beginning to end. */
const MOST_WORDS = {
  "README.md": 1500,
  "CONTRIBUTING.md": 900,
  "docs/api.md": 4000,
  "docs/migrate.md": 700,
  "docs/performance.md": 1000,
};

for (const [document, most] of Object.entries(MOST_WORDS)) {
  describe(document, () => {
    it(`has at most ${most} words`, () => {
      assert.ok(wordsOf(document) <= most, `${wordsOf(document)} words`);
    });
  });
}

describe("CONTRIBUTING.md", () => {
  it("shows a limit, a handler and a test as they are in the code", () => {
    const samples = [...read("CONTRIBUTING.md").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);
    const sources = ["src/routes/policies.ts", "src/cob/write/embed_files.ts", "test/cob/patch/merge.test.ts"]
      .map(read).join();
    assert.deepEqual(samples.filter((code) => !sources.includes(code)), []);
  });
});

describe("options in documents", () => {
  const commands = ["serve", "session", "publish"] as const;
  const known = new Set(commands.flatMap((command) => [...options(helpOf(command))]));
  /** Options of other programs that a document names. */
  const others: Readonly<Record<string, readonly string[]>> = {
    "README.md": ["--silent"],
    "docs/migrate.md": ["--global", "--connect", "--now"],
  };
  const documents = [
    "README.md",
    "docs/api.md",
    "docs/api_reference.md",
    "docs/deviations.md",
    "docs/migrate.md",
  ];

  for (const document of documents) {
    it(`exist in the command: ${document}`, () => {
      const unknown = [...options(read(document))].filter((option) =>
        !known.has(option) && !(others[document] ?? []).includes(option)
      );
      assert.deepEqual(unknown, []);
    });
  }
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

/** Documents with sections of the specification: a guide, what the contract says, and what differs. */
const OF_SECTIONS = ["docs/api.md", "docs/api_reference.md", "docs/deviations.md"];
/** Numbers of the headings of a document, in their order. */
const sectionsOf = (path: string) =>
  [...read(path).matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map((match) => match[1]!);
const sections = new Set(OF_SECTIONS.flatMap(sectionsOf));

describe("sections of the specification", () => {
  for (const document of OF_SECTIONS) {
    it(`have anchors of their numbers in ${document}`, () => {
      const anchored = [...read(document).matchAll(/^<a id="([\d.]+)"><\/a>\n\n#+ (\d+(?:\.\d+)*)\.? /gm)];
      assert.deepEqual(anchored.map((match) => match[1]), sectionsOf(document));
      assert.deepEqual(anchored.map((match) => match[2]), sectionsOf(document));
      assert.equal(new Set(sectionsOf(document)).size, sectionsOf(document).length);
    });
  }

  it("are all there, without a gap", () => {
    const before = (number: string) => {
      const last = Number(/\d+$/.exec(number)![0]);
      const parent = number.replace(/\.?\d+$/, "");
      return last === 1 ? parent : [parent, last - 1].filter((part) => part !== "").join(".");
    };
    assert.deepEqual(
      [...sections].map(before).filter((number) => number !== "" && !sections.has(number)),
      [],
    );
  });

  it("are there that comments cite", () => {
    const sources = files.filter((path) => /^(?:src|extensions|adapters)\/.*\.tsx?$/.test(path));
    const cited = sources.flatMap((path) => citationsOf(read(path)).map((number) => ({ path, number })));
    assert.deepEqual(cited.filter(({ number }) => !sections.has(number)), []);
    // Else the pattern has missed them.
    assert.ok(cited.some(({ number }) => number === "4.2.8"));
  });
});

describe("docs/api_reference.md", () => {
  const reference = read("docs/api_reference.md");

  it("is what the contract says (node build/carry_reference.ts writes it)", () => {
    assert.equal(reference, referenceDocument());
  });

  it("has all routes in its tables, and no others", async () => {
    const listed = [...reference.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) +\| `([^`]+)`/gm)];
    // Some routes are in both dialects.
    const named = new Set(listed.map((match) => `${match[1]} ${match[2]}`));
    assert.deepEqual([...named].sort(), await allRoutes());
  });
});

describe("documents of the interface", () => {
  it("name routes of the service wherever they name a method and a path", async () => {
    const routes = await allRoutes();
    const documents = [...OF_SECTIONS, "docs/errors.md"].map(read).join("\n");
    const named = [...documents.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?\s]*)`/g)].map(
      ([, method, path]) => `${method} ${/^\/(?:api|raw|:name)\b/.test(path!) ? "" : "/api/v1"}${path}`,
    );
    assert.ok(named.length > 10);
    assert.deepEqual(named.filter((route) => !routes.includes(route)), []);
  });
});

describe("docs/errors.md", () => {
  it("quotes errors that the sources have", () => {
    const sources = files.filter((path) => /^(?:src|extensions|adapters)\/.*\.ts$/.test(path)).map(read).join(
      "\n",
    );
    const rows = read("docs/errors.md").match(/^\| .*\|$/gm)!.map((row) =>
      row.split("|").slice(1, 3).join("|")
    );
    const quoted = rows.flatMap((row) => [...row.matchAll(/``\s?(.*?)\s?``|`([^`]+)`/g)])
      .map((match) => match[1] ?? match[2]!).filter((text) => text.includes(" "));
    assert.ok(quoted.length > 90, `only ${quoted.length}`);
    assert.deepEqual(quoted.filter((text) => !messagePattern(text).test(sources)), []);
  });
});

/** Finds an error in the sources, where other text stands for ids, numbers and names, and quotation marks are escaped. */
function messagePattern(text: string): RegExp {
  // The sources add the article to some.
  const parts = text.replace(/^The (?=node )/, "").split(/…|"[^"]*"|\d{3,}/).map((part) => part.trim())
    .filter((part) => part.length > 2);
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("`", "\\\\?`"));
  return new RegExp(escaped.join("[^\\n]{1,60}?"));
}

/** The sections that comments cite: `(4.2)`, `(2.9, 3.1)`, `(4.2.2 to 4.2.5)`, `(4.8, alternate variant)`. */
function citationsOf(source: string): string[] {
  const comments = source.match(/\/\*[\s\S]*?\*\/|\/\/.*$/gm) ?? [];
  const number = /\d{1,2}(?:\.\d+)*/g;
  return comments.flatMap((comment) => {
    const lists = comment.match(/(?<!\w)\(\d{1,2}(?:\.\d+)*(?:(?:,| to| and) [\w. -]+)*\)/g) ?? [];
    return lists.flatMap((text) => text.match(number) ?? []);
  });
}

/** The routes of all services, each as method and path. */
async function allRoutes(): Promise<string[]> {
  const { allRoutes } = await import("../src/routes/table.ts");
  const { allExtensions } = await import("./support/extensions.ts");
  const services = (["v1", "today", "both"] as const).flatMap((api) =>
    [{}, { wallets: { addresses: [], domain: "" } }].flatMap((signIn) =>
      allRoutes({ api, ...signIn }, allExtensions({ page: true }))
    )
  );
  return [...new Set(services.map(([method, pattern]) => `${method} ${pattern}`))].sort();
}
