/**
 * Makes the snapshot of the package's exports: `npm run exports` writes `build/exports.txt` from the types
 * that the build has made. The snapshot has the declarations behind all entries, without comments, and the
 * declarations that these name. If no entry exports a class, only this package can construct it, so only the
 * head of the class is shown.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";

/** Path of the snapshot, relative to the root of the package. */
const SNAPSHOT = "build/exports.txt";

/** The module and the name of a declaration. */
interface Place {
  readonly file: string;
  readonly name: string;
}

interface Declaration extends Place {
  text: string;
}

/** A name that another module declares. */
interface Link {
  readonly from: string;
  readonly name: string;
}

/** The top level of a module's types. */
interface Module {
  /** Names that the module's text can use: its own declarations, and its imports by relative paths. */
  readonly scope: Map<string, Declaration | Link>;
  readonly exports: Map<string, Declaration | Link>;
  /** Modules of which everything is re-exported. */
  readonly stars: string[];
}

/** The text of the snapshot for the package in `folder`. */
export function exportsOf(folder: string): string {
  const { name: packageName, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const reader = new DeclarationReader();
  /** The module in which a declaration has been shown. */
  const shown = new Map<string, string>();
  const entries = Object.entries<string>(exports).map(([entry, file]) => {
    const title = packageName + entry.slice(1);
    const declarations = reader.exportsOf(join(folder, file.replace(/\.js$/, ".d.ts")));
    const texts = [...declarations].sort(byName).map(([name, declaration]) => {
      const key = keyOf(declaration);
      const before = shown.get(key);
      if (before !== undefined) return `${name}: see ${before}`;
      shown.set(key, title);
      return name === declaration.name ? declaration.text : `${declaration.text} as ${name}`;
    });
    return { title, texts, declarations: [...declarations.values()] };
  });
  const named = reader.reachedFrom(entries.flatMap(({ declarations }) => declarations))
    .filter((declaration) => !shown.has(keyOf(declaration)))
    .map(({ name, text }): [string, string] => [name, text]).sort(byName);
  const sections = entries.map(({ title, texts }) => ({ title, texts }));
  if (named.length > 0) {
    sections.push({
      title: "not exported, but named above",
      texts: named.map(([, text]) => text),
    });
  }
  return sections.map(({ title, texts }) => `==== ${title} ====\n\n${texts.join("\n")}\n`).join("\n");
}

/** Describes the first line in which the snapshot and the package differ. `undefined` when they are equal. */
export function changedExports(folder: string): string | undefined {
  const [before, now] = [readFileSync(join(folder, SNAPSHOT), "utf8"), exportsOf(folder)]
    .map((text) => text.split("\n"));
  const at = now!.findIndex((line, i) => line !== before![i]);
  if (at === -1 && now!.length === before!.length) return undefined;
  const line = at === -1 ? now!.length : at;
  return `line ${line + 1}: "${before![line] ?? ""}" became "${now![line] ?? ""}"`;
}

const CLASS_BODY = /^((?:abstract )?class .*) \{[\s\S]*/;

const keyOf = ({ file, name }: Place) => `${file} ${name}`;
const byName = <T>([a, x]: [string, T], [b, y]: [string, T]) => compare(a, b) || compare(`${x}`, `${y}`);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Reads the `.d.ts` files that the compiler writes: each statement begins on its own line without
 * indentation.
 */
class DeclarationReader {
  readonly #modules = new Map<string, Module>();

  /** The exports of a module by name, without the exports of other packages. */
  exportsOf(file: string): Map<string, Declaration> {
    const { exports, stars } = this.#module(file);
    const found = new Map<string, Declaration>();
    for (const star of stars) for (const [name, one] of this.exportsOf(star)) found.set(name, one);
    for (const [name, one] of exports) found.set(name, this.#resolve(one));
    return found;
  }

  /** The given declarations, and all declarations that they name, directly or through others. */
  reachedFrom(declarations: readonly Declaration[]): Declaration[] {
    const reached = new Map(declarations.map((one) => [keyOf(one), one]));
    for (const { file, text: whole } of reached.values()) {
      const { scope } = this.#module(file);
      // Parameters of constructors are skipped: their types are exported, or only this package can construct
      // them.
      const text = whole.replace(/^ {4}constructor\([\s\S]*?\);$/gm, "");
      const named = Array.from(text.matchAll(/[\w$]+/g), ([name]) => scope.get(name));
      for (const [, path, name] of text.matchAll(/\bimport\("(\.[^"]+)"\)\.([\w$]+)/g)) {
        named.push({ from: fileOf(file, path!), name: name! });
      }
      for (const one of named) {
        if (one === undefined) continue;
        const { text, ...place } = this.#resolve(one);
        // This loop also visits the entries that are added here.
        if (!reached.has(keyOf(place))) {
          reached.set(keyOf(place), { ...place, text: text.replace(CLASS_BODY, "$1") });
        }
      }
    }
    return [...reached.values()];
  }

  #resolve(one: Declaration | Link): Declaration {
    if ("text" in one) return one;
    const found = this.exportsOf(one.from).get(one.name);
    if (found === undefined) throw new Error(`${one.from} does not export "${one.name}"`);
    return found;
  }

  #module(file: string): Module {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const module: Module = { scope: new Map(), exports: new Map(), stars: [] };
    this.#modules.set(file, module);
    const text = readFileSync(file, "utf8").replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "");
    for (const statement of text.trim().split(/\n(?=(?:import|export|declare|interface|type) )/)) {
      readStatement(file, statement, module);
    }
    return module;
  }
}

/** Adds the declarations, imports and exports of a statement. Other packages are not followed. */
function readStatement(file: string, statement: string, { scope, exports, stars }: Module): void {
  const unknown = () => new Error(`${file} has a statement that is not known here: ${statement}`);
  const declared = /^(export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type) ([\w$]+)/
    .exec(statement);
  if (declared !== null) {
    const [, isExported, name = ""] = declared;
    const text = statement.replace(/^(?:export )?(?:declare )?/, "");
    const before = scope.get(name);
    // Overloads of a function are several statements.
    if (before !== undefined && "text" in before) before.text += `\n${text}`;
    else scope.set(name, { file, name, text });
    if (isExported !== undefined) exports.set(name, scope.get(name)!);
    return;
  }
  const [, verb, what = "", from] =
    /^(import|export) (?:type )?(.*?)(?: ?from )?(?:"([^"]+)")?;$/.exec(statement) ?? [];
  // Imports from packages have no name here, and modules without names are only run.
  if (from?.startsWith(".") === false || (verb === "import" && what === "")) return;
  const target = from && fileOf(file, from);
  if (verb === "export" && what === "*" && target) stars.push(target);
  else if (verb !== undefined && /^\{.*\}$/.test(what)) {
    const into = verb === "import" ? scope : exports;
    for (const part of what.slice(1, -1).split(",")) {
      if (part.trim() === "") continue;
      const [name = "", alias = name] = part.trim().replace(/^type /, "").split(" as ");
      const one = target ? { from: target, name } : scope.get(name);
      if (one === undefined) throw unknown();
      into.set(alias, one);
    }
  } else throw unknown();
}

/** The file with the types behind an import. */
function fileOf(importer: string, path: string): string {
  return join(dirname(importer), path.replace(/\.[jt]s$/, ".d.ts"));
}

if (process.argv[1]?.endsWith("exports.ts")) writeFileSync(SNAPSHOT, exportsOf("."));
