/** Languages that are highlighted, each loaded when a file of it is shown. */
import type { LanguageFn } from "highlight.js";

/** A language by names of files and of blocks of code. */
type Loader = () => Promise<{ readonly default: LanguageFn }>;

const LANGUAGES: readonly (readonly [names: string, load: Loader])[] = [
  ["ts tsx mts cts typescript", () => import("highlight.js/lib/languages/typescript")],
  ["js jsx mjs cjs javascript", () => import("highlight.js/lib/languages/javascript")],
  ["rs rust", () => import("highlight.js/lib/languages/rust")],
  ["py python", () => import("highlight.js/lib/languages/python")],
  ["go", () => import("highlight.js/lib/languages/go")],
  ["c h", () => import("highlight.js/lib/languages/c")],
  ["cc cpp cxx hpp hh c++", () => import("highlight.js/lib/languages/cpp")],
  ["java", () => import("highlight.js/lib/languages/java")],
  ["kt kts kotlin", () => import("highlight.js/lib/languages/kotlin")],
  ["rb ruby", () => import("highlight.js/lib/languages/ruby")],
  ["php", () => import("highlight.js/lib/languages/php")],
  ["swift", () => import("highlight.js/lib/languages/swift")],
  ["hs haskell", () => import("highlight.js/lib/languages/haskell")],
  ["ex exs elixir", () => import("highlight.js/lib/languages/elixir")],
  ["lua", () => import("highlight.js/lib/languages/lua")],
  ["nix", () => import("highlight.js/lib/languages/nix")],
  ["sh bash zsh shell", () => import("highlight.js/lib/languages/bash")],
  ["sql", () => import("highlight.js/lib/languages/sql")],
  ["json jsonc", () => import("highlight.js/lib/languages/json")],
  ["yml yaml", () => import("highlight.js/lib/languages/yaml")],
  ["toml ini", () => import("highlight.js/lib/languages/ini")],
  ["md markdown", () => import("highlight.js/lib/languages/markdown")],
  ["html xml svg xhtml", () => import("highlight.js/lib/languages/xml")],
  ["css", () => import("highlight.js/lib/languages/css")],
  ["diff patch", () => import("highlight.js/lib/languages/diff")],
  ["makefile mk", () => import("highlight.js/lib/languages/makefile")],
  ["dockerfile", () => import("highlight.js/lib/languages/dockerfile")],
];

const byName = new Map<string, readonly [name: string, load: Loader]>();
for (const [names, load] of LANGUAGES) {
  const all = names.split(" ");
  for (const name of all) byName.set(name, [all[0]!, load]);
}

/** The language of a name or an ending, if it is known. */
export function languageOf(name: string): readonly [name: string, load: Loader] | undefined {
  return byName.get(name.toLowerCase());
}

/** The ending of a file by which its language is found, or its whole name. */
export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return (dot < 0 ? name : name.slice(dot + 1)).toLowerCase();
}
