/**
 * Parses arguments by a table of options. The help text and the documentation are made from the same table.
 */
import { parseArgs } from "node:util";

/** The command line is wrong. The message is one line for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly exitStatus = 2;
}

export interface Switch {
  /** Meaning of the option, in Markdown. */
  readonly meaning: string;
  /** One letter that is an abbreviation of the option. */
  readonly short?: string;
  /** Title above this option and the following options in the help. */
  readonly title?: string;
}

export interface Valued<T = unknown> extends Switch {
  /** Name of the value in the help. The names of several values are separated by spaces. */
  readonly value: string;
  readonly isRepeatable?: boolean;
  /** @throws {UsageError} when the texts are not a valid value. */
  readonly read: (...texts: string[]) => T;
}

/** Options by name, in the order of the help. */
export type OptionTable = Readonly<Record<string, Switch | Valued>>;

/** Values of the given options, by name. An option without a value has the value `true`. */
export type Values<T extends OptionTable> = { readonly [Name in keyof T]?: ValueOf<T[Name]> };
type ValueOf<O> = O extends { readonly read: (...texts: string[]) => infer T }
  ? O extends { readonly isRepeatable: true } ? readonly T[] : T
  : true;

export function present<T extends object>(members: T): { readonly [K in keyof T]?: NonNullable<T[K]> } {
  const there = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as { readonly [K in keyof T]?: NonNullable<T[K]> };
}

export interface Arguments<T extends OptionTable> {
  readonly positionals: readonly string[];
  has(name: keyof T): boolean;
  /**
   * Returns the values.
   *
   * @throws {UsageError} when a value is invalid.
   */
  read(): Values<T>;
}

/**
 * Joins several values of one option into one text, because `parseArgs` supports only one value per option.
 */
const SEPARATOR = "\0";

/**
 * Parses the arguments of a command.
 *
 * @throws {UsageError} for an unknown option, a missing value, or a value for an option without values.
 */
export function parseArguments<T extends OptionTable>(table: T, args: readonly string[]): Arguments<T> {
  const entries: readonly (readonly [string, Switch | Valued])[] = Object.entries(table);
  const options = entries.map(([name, option]) => [name, {
    type: isValued(option) ? "string" : "boolean",
    multiple: isValued(option),
    ...option.short !== undefined && { short: option.short },
  }]);
  const { values, positionals } = parse(Object.fromEntries(options), joinValues(table, args));
  return {
    positionals,
    has: (name) => values[name as string] !== undefined,
    read() {
      const read = entries.map(([name, option]) => {
        const given = values[name];
        if (!isValued(option) || !Array.isArray(given)) return [name, given];
        const readOne = (text: unknown) => option.read(...String(text).split(SEPARATOR));
        return [name, option.isRepeatable ? given.map(readOne) : readOne(given.at(-1))];
      });
      return present(Object.fromEntries(read)) as Values<T>;
    },
  };
}

function parse(options: NonNullable<Parameters<typeof parseArgs>[0]>["options"], args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: options ?? {} });
  } catch (error) {
    // Runtimes have different messages, but the first sentence always contains the reason.
    throw new UsageError(error instanceof Error ? error.message.split(/\. |\n/)[0] : String(error));
  }
}

function joinValues(table: OptionTable, args: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const option = Object.entries(table).find(([name, { short }]) =>
      args[i] === `--${name}` || short !== undefined && args[i] === `-${short}`
    );
    const count = option && isValued(option[1]) ? option[1].value.split(" ").length : 1;
    if (option === undefined || count === 1) joined.push(args[i]!);
    else {
      const values = Array.from({ length: count }, () => args[++i] ?? "");
      joined.push(`--${option[0]}=${values.join(SEPARATOR)}`);
    }
  }
  return joined;
}

function isValued(option: Switch | Valued): option is Valued {
  return "read" in option;
}

/** Width of the help text, in columns. */
const COLUMNS = 120;
/** Width of the column with the names of the options, in characters. */
const OPTION_COLUMNS = 25;

/** Formats the options as text for a terminal. */
export function optionsText(table: OptionTable): string {
  const lines = Object.entries(table).flatMap(([name, option]) => {
    const title = option.title === undefined ? [] : ["", `${option.title}:`];
    const written = `  ${writtenAs(name, option).join(", ")}`;
    const [first = "", ...more] = wrap(option.meaning.replaceAll("`", ""), COLUMNS - OPTION_COLUMNS);
    const start = written.length < OPTION_COLUMNS
      ? [written.padEnd(OPTION_COLUMNS) + first]
      : [written, " ".repeat(OPTION_COLUMNS) + first];
    return [...title, ...start, ...more.map((line) => " ".repeat(OPTION_COLUMNS) + line)];
  });
  return `${lines.join("\n")}\n`;
}

/** Formats the options as rows of a Markdown table, with the usage and the meaning of each option. */
export function optionsRows(table: OptionTable): readonly (readonly [written: string, meaning: string])[] {
  return Object.entries(table).map(([name, option]) => {
    const written = writtenAs(name, option).map((text) => `\`${text}\``).join(", ");
    return [written.replaceAll("|", "\\|"), option.meaning.replaceAll("|", "\\|")];
  });
}

function writtenAs(name: string, option: Switch | Valued): readonly string[] {
  const long = `--${name}${isValued(option) ? ` ${option.value}` : ""}`;
  return option.short === undefined ? [long] : [long, `-${option.short}`];
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
