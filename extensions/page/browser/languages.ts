/**
 * Languages that can be highlighted. Each language is a part of the worker, which is loaded when a text in
 * this language is shown.
 */

/**
 * Name of each language in highlight.js, with the file extensions and the names in code blocks that mean this
 * language.
 */
export const LANGUAGES: readonly (readonly [language: string, names: string])[] = [
  ["typescript", "ts tsx mts cts typescript"],
  ["javascript", "js jsx mjs cjs javascript"],
  ["rust", "rs rust"],
  ["python", "py python"],
  ["go", "go"],
  ["c", "c h"],
  ["cpp", "cc cpp cxx hpp hh c++"],
  ["java", "java"],
  ["kotlin", "kt kts kotlin"],
  ["ruby", "rb ruby"],
  ["php", "php"],
  ["swift", "swift"],
  ["haskell", "hs haskell"],
  ["elixir", "ex exs elixir"],
  ["lua", "lua"],
  ["nix", "nix"],
  ["bash", "sh bash zsh shell"],
  ["sql", "sql"],
  ["json", "json jsonc"],
  ["yaml", "yml yaml"],
  ["ini", "toml ini"],
  ["markdown", "md markdown"],
  ["xml", "html xml svg xhtml"],
  ["css", "css"],
  ["diff", "diff patch"],
  ["makefile", "makefile mk"],
  ["dockerfile", "dockerfile"],
];

const byName = new Map(
  LANGUAGES.flatMap(([language, names]) => names.split(" ").map((name) => [name, language] as const)),
);

/** Returns the language with a name or a file extension; `undefined` if it is unknown. */
export function languageOf(name: string): string | undefined {
  return byName.get(name.toLowerCase());
}
