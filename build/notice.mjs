/**
 * Writes `NOTICE.md`: the packages of others that this package includes or needs, and their licences. Fails
 * for an unknown licence.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Licences that packages may have. */
const KNOWN = ["MIT", "BSD-3-Clause", "Unlicense", "Apache-2.0", "ISC", "0BSD"];
/** Licences of packages that do not name theirs in a machine-readable form. A person has read their texts. */
const BY_HAND = {
  "wasm-git": "GPL-2.0-only with a linking exception",
  // Chosen from the licences that it offers.
  "dompurify": "Apache-2.0",
};
const TEXTS = ["LICENSE", "LICENSE.md", "LICENCE", "COPYING"];

/**
 * Packages whose code is in the page for browsers, as listed by `build/carry_page.ts`. They may not be
 * installed, because they are development packages.
 */
const IN_PAGE = JSON.parse(readFileSync("extensions/page/carried/packages.json", "utf8"));

/** The packages that an installation includes, by the lock file, and the packages in the page. */
export function neededPackages() {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const folders = Object.entries(packages).filter(([folder, { dev, optional, devOptional }]) =>
    folder !== "" && !dev && !optional && !devOptional
  );
  return [...folders.map(([folder]) => installedPackage(folder)), ...IN_PAGE]
    .sort((a, b) => a.name < b.name ? -1 : 1);
}

/** An installed package, with the text of its licence. */
export function installedPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const known = KNOWN.includes(license) ? license : BY_HAND[name];
  if (known === undefined) {
    throw new Error(`${name} ${version} has the licence ${license}, which is not known here`);
  }
  const text = TEXTS.map((file) => join(folder, file)).find((path) => existsSync(path));
  if (text === undefined) throw new Error(`${name} ${version} has no text of its licence`);
  return { name, version, license: known, text: readFileSync(text, "utf8") };
}

/** The text of the notice. */
export function notice() {
  const packages = neededPackages();
  const list = packages.map(({ name, version, license }) => `- ${name} ${version}: ${license}`);
  const texts = packages.map(({ name, text }) =>
    // The whole GPL is next to the modules that carry libgit2. Here are its head and the exception.
    `## ${name}\n\n${
      fence(name === "wasm-git" ? text.slice(0, text.indexOf("GNU GENERAL PUBLIC LICENSE")) : text)
    }`
  );
  return `# Software of others

Xylem itself is under MIT or Apache-2.0, as you like. It carries compiled libgit2 with its glue, which
Emscripten generates (MIT or NCSA): they are the package wasm-git, unchanged. The page for browsers carries
${
    IN_PAGE.map(({ name }) => name).join(", ")
  }, bundled. Workers of the built package carry parts of the packages below. All others are
installed beside it.

${list.join("\n")}

${texts.join("\n\n")}
`;
}

function fence(text) {
  return `\`\`\`text\n${text.trim().replaceAll("\`\`\`", "'''")}\n\`\`\``;
}

if (process.argv[1]?.endsWith("notice.mjs")) writeFileSync("NOTICE.md", notice());
