/** The command line of `xylem`: its verbs and options, and their meaning. */
import { parseArgs } from "node:util";
import { type BucketAddress, parseBucketAddress } from "../../src/bucket/address.ts";
import { leastMemoryBytes, type StorageKind } from "../../src/cache/memory.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { tryParseRid } from "../../src/ids/rid.ts";
import { isAliasName } from "../../src/routes/aliases.ts";
import { type Address, DEFAULT_ADDRESS, parseAddress } from "../server/address.ts";

/** Host of an address that is only a port: a home is private, and 127.0.0.1 is for this machine only. */
const LOCAL_HOST = "127.0.0.1";

/** The commands. */
const VERBS = ["serve", "publish", "session", "help", "version"] as const;
/** Mistakes in a word that still lets guess which command is meant. */
const MAX_MISTAKES = 2;

/** A command line that cannot be followed; the message is one line for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A command line of `xylem serve`. */
export interface ServeCommand {
  readonly verb: "serve";
  readonly listen: readonly Address[];
  /** Radicle home as it was written; found by itself when missing. */
  readonly home?: string;
  readonly demo: boolean;
  /** The bucket of a published home, in place of a home. */
  readonly bucket?: BucketAddress;
  /** With a bucket: URL of the service beside the home. */
  readonly origin?: string;
  /** With a bucket: time after which it is asked for changes; the usual one when missing. */
  readonly freshSeconds?: number;
  readonly behindProxy: boolean;
  /** Trusted origins, besides the origins that always are. */
  readonly trustedOrigins: readonly string[];
  readonly signIn: "key" | "wallet";
  /** Place of the sessions: `memory`, a path as it was written, or the URL of a store. */
  readonly sessions: string;
  /** Addresses of wallets that may change things. */
  readonly wallets: readonly string[];
  /** Chains that messages of wallets may name; the API's default when missing. */
  readonly chains?: readonly number[];
  readonly evaluation: HomeGeneration;
  readonly answers: "spec" | "objects";
  readonly api: "v1" | "today" | "both";
  /** Whether browsers get a page at the root. */
  readonly page: boolean;
  /** Names that stand for repositories: name → repository id. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Time of everything written, seconds since the epoch; the clock's when missing. */
  readonly objectTimeSeconds?: number;
  /** Connections at a time; the service's default when missing. */
  readonly maxConnections?: number;
  /** Memory of all caches; the API's default when missing. */
  readonly memoryBytes?: number;
  /** Memory for cached answers, a part of `memoryBytes`; the API's default when missing. */
  readonly cacheBytes?: number;
  /** Folder for indexes of long histories; the usual one when missing, none when `none`. */
  readonly cache?: string;
}

/** A command line. */
export type Command =
  | ServeCommand
  | {
    readonly verb: "session" | "publish"; /** Arguments after the verb. */
    readonly rest: readonly string[];
  }
  | {
    readonly verb: "help"; /** The verb to be explained; all of them when missing. */
    readonly of?: "session" | "publish";
  }
  | { readonly verb: "version" };

/** Environment variables that stand for options. */
export interface OptionVariables {
  /** Port to listen on, when neither `--listen` nor `--port` is given; empty counts as none. */
  readonly PORT?: string | undefined;
  /** Place of the sessions, without `--sessions`; empty counts as none. It hides a password from `ps`. */
  readonly XYLEM_SESSIONS?: string | undefined;
}

/**
 * Reads the arguments after the command's name, and the variables that stand for some of them.
 *
 * @throws {UsageError} for unknown verbs and options and for values of no use.
 */
export function parseCommand(args: readonly string[], variables: OptionVariables = {}): Command {
  if (args[0] === "session" || args[0] === "publish") {
    const [verb, ...rest] = args;
    return asksForHelp(rest) ? { verb: "help", of: verb } : { verb, rest };
  }
  const { aliases, rest } = takeAliases(args);
  const { values, positionals } = parse(rest);
  if (values.help) return { verb: "help" };
  if (values.version || values.V) return { verb: "version" };
  const [verb = "serve", ...more] = positionals;
  if (verb === "help" && (more.length === 0 || more.join() === "serve")) return { verb };
  if (verb === "help" && (more.join() === "session" || more.join() === "publish")) {
    return { verb, of: more.join() as "session" | "publish" };
  }
  if (verb === "version" && more.length === 0) return { verb };
  if (!VERBS.some((known) => known === verb)) throw new UsageError(unknownCommand(verb));
  if (verb !== "serve" || more.length > 0) throw new UsageError(`Unknown argument "${more.at(-1)}"`);
  if (values.demo && values.home !== undefined) {
    throw new UsageError("Cannot serve --demo and --home at once");
  }
  if (values.home === "") throw new UsageError(`Cannot use --home "": expected a directory`);
  const bucket = values.bucket === undefined ? undefined : toBucket(values.bucket);
  checkBucketOptions(values, bucket !== undefined);
  // A number is how many answers radicle-httpd caches: a folder of this name is hardly meant.
  if (/^\d*$/.test(values.cache ?? "none")) {
    throw new UsageError(
      `Cannot use --cache "${values.cache}": expected a directory or none; --cache-size is the size of a cache`,
    );
  }
  const signIn = toChoice("sign-in", values["sign-in"], ["key", "wallet"]);
  const wallets = values.wallet?.map(toWallet) ?? [];
  checkWallets(signIn, wallets, values.chain);
  return {
    verb,
    listen: toAddresses(values, variables),
    ...(values.home !== undefined && { home: values.home }),
    demo: values.demo,
    ...(bucket !== undefined && { bucket }),
    ...(values.origin !== undefined && { origin: toServiceUrl(values.origin) }),
    ...(values.fresh !== undefined && { freshSeconds: toFreshSeconds(values.fresh) }),
    behindProxy: values["behind-proxy"],
    trustedOrigins: values["trust-origin"]?.map(toOrigin) ?? [],
    signIn,
    sessions: toSessions(values.sessions ?? (variables.XYLEM_SESSIONS || "memory")),
    wallets,
    ...(values.chain !== undefined && { chains: values.chain.map(toChain) }),
    evaluation: toChoice("evaluation", values.evaluation, ["newest", "1.1", "0.10", "2024"]),
    answers: toChoice("answers", values.answers, ["spec", "objects"]),
    api: toChoice("api", values.api, ["both", "v1", "today"]),
    page: !values["no-page"],
    aliases,
    ...(values["object-time"] !== undefined && { objectTimeSeconds: toSeconds(values["object-time"]) }),
    ...(values.cache !== undefined && { cache: values.cache }),
    ...(values["max-connections"] !== undefined &&
      { maxConnections: toCount("max-connections", values["max-connections"]) }),
    ...toMemory(values.memory, values["cache-size"], bucket === undefined ? "home" : "bucket"),
  };
}

function unknownCommand(verb: string): string {
  const nearest = VERBS.toSorted((one, other) => distance(one, verb) - distance(other, verb))[0]!;
  const advice = distance(nearest, verb) <= MAX_MISTAKES
    ? `did you mean ${nearest}?`
    : `expected ${VERBS.slice(0, -1).join(", ")} or ${VERBS.at(-1)}`;
  return `Unknown command "${verb}": ${advice}`;
}

/** Characters that must be added, removed or replaced to make one word of another (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, character] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < row.length - 1; j++) {
      const replaced = row[j]! + (character === other[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        listen: { type: "string", multiple: true },
        port: { type: "string" },
        home: { type: "string" },
        demo: { type: "boolean", default: false },
        bucket: { type: "string" },
        origin: { type: "string" },
        fresh: { type: "string" },
        "behind-proxy": { type: "boolean", default: false },
        "trust-origin": { type: "string", multiple: true },
        "sign-in": { type: "string" },
        sessions: { type: "string" },
        wallet: { type: "string", multiple: true },
        chain: { type: "string", multiple: true },
        evaluation: { type: "string" },
        answers: { type: "string" },
        api: { type: "string" },
        "no-page": { type: "boolean", default: false },
        "object-time": { type: "string" },
        cache: { type: "string" },
        "cache-size": { type: "string" },
        memory: { type: "string" },
        "max-connections": { type: "string" },
        help: { type: "boolean", short: "h", default: false },
        version: { type: "boolean", short: "v", default: false },
        V: { type: "boolean", short: "V", default: false },
      },
    });
  } catch (error) {
    // The runtimes word it differently; the first sentence says it everywhere.
    throw new UsageError(error instanceof Error ? error.message.split(/\. |\n/)[0] : String(error));
  }
}

/** Options of a home, which a service on a bucket does not have. */
const HOME_OPTIONS = [
  "home",
  "demo",
  "trust-origin",
  "sign-in",
  "wallet",
  "chain",
  "object-time",
  "sessions",
];

/** Options of a service on a bucket. */
const BUCKET_OPTIONS = ["origin", "fresh"];

function checkBucketOptions(values: Readonly<Record<string, unknown>>, hasBucket: boolean): void {
  const wrong = (hasBucket ? HOME_OPTIONS : BUCKET_OPTIONS).find((name) => Boolean(values[name]));
  if (wrong !== undefined) {
    throw new UsageError(`Cannot use --${wrong} ${hasBucket ? "with" : "without"} --bucket`);
  }
}

function toBucket(text: string): BucketAddress {
  try {
    return parseBucketAddress(text);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The URL of a service. The message does not repeat the text: it may hold a password. */
function toServiceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === "" && url.password === "" && url.search === "" &&
    url.hash === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new UsageError("Cannot use --origin: expected a URL such as https://seed.example.org");
  }
  return url.href;
}

function toFreshSeconds(text: string): number {
  if (!/^\d{1,5}(?:\.\d{1,3})?$/.test(text)) {
    throw new UsageError(`Cannot use --fresh "${text}": expected seconds such as 2`);
  }
  return Number(text);
}

/** Whether the arguments of a verb ask for its help. */
function asksForHelp(args: readonly string[]): boolean {
  return args.includes("--help") || args.includes("-h");
}

/** The addresses that options name, else variables; {@link DEFAULT_ADDRESS} without any. */
function toAddresses(
  { listen, port }: { readonly listen?: string[] | undefined; readonly port?: string | undefined },
  { PORT }: OptionVariables,
): readonly Address[] {
  if (listen !== undefined && port !== undefined) {
    throw new UsageError("Cannot use --port and --listen at once: expected --listen HOST:PORT alone");
  }
  if (listen !== undefined) return listen.map(toAddress);
  if (port !== undefined) return [toLocalAddress(port, "--port")];
  return [PORT ? toLocalAddress(PORT, "the variable PORT") : DEFAULT_ADDRESS];
}

/** Takes the aliases out of arguments: an alias has two values, which `parseArgs` does not know. */
function takeAliases(args: readonly string[]) {
  const aliases: Record<string, string> = {};
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    if (args[i] !== "--alias" && args[i] !== "-a") {
      rest.push(args[i]!);
      continue;
    }
    const [name = "", rid = ""] = [args[++i], args[++i]];
    if (!isAliasName(name)) throw new UsageError(`Cannot use --alias "${name}": expected a name and an id`);
    const id = tryParseRid(rid);
    if (id === undefined) {
      throw new UsageError(`Cannot use --alias ${name} "${rid}": expected a repository id such as rad:z…`);
    }
    aliases[name] = id;
  }
  return { aliases, rest };
}

function toAddress(text: string): Address {
  const address = parsePort(text) ?? parseAddress(text);
  if (address === undefined) {
    throw new UsageError(`Cannot listen on "${text}": expected PORT, HOST:PORT, [IPV6]:PORT or unix:PATH`);
  }
  return address;
}

function toLocalAddress(text: string, place: string): Address {
  const address = parsePort(text);
  if (address === undefined) {
    throw new UsageError(`Cannot use ${place} "${text}": expected a port from 0 to 65535`);
  }
  return address;
}

/** A port alone, on which only this machine reaches the service. */
function parsePort(text: string): Address | undefined {
  return /^\d{1,5}$/.test(text) ? parseAddress(`${LOCAL_HOST}:${text}`) : undefined;
}

/** One of a few words; the first when nothing is given. */
function toChoice<T extends string>(
  option: string,
  text: string | undefined,
  choices: readonly [T, ...T[]],
): T {
  const chosen = text === undefined ? choices[0] : choices.find((choice) => choice === text);
  if (chosen === undefined) {
    throw new UsageError(`Cannot use --${option} "${text}": expected ${choices.join(" or ")}`);
  }
  return chosen;
}

/** Never quotes the text: it may hold a password. */
function toSessions(text: string): string {
  const isUrl = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  const isUnix = /^unix:/i.test(text);
  const isUsable = isUrl
    ? /^rediss?:/i.test(text) && URL.canParse(text) && new URL(text).hostname !== "" &&
      /^\/?\d*$/.test(new URL(text).pathname)
    : isUnix
    ? /^unix:\/./i.test(text)
    : text !== "";
  if (!isUsable) {
    throw new UsageError(
      "Cannot use --sessions: expected memory, the path of a file, redis://HOST:PORT or unix:PATH of a socket",
    );
  }
  return text;
}

function toWallet(text: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new UsageError(`Cannot use --wallet "${text}": expected 0x and 40 hexadecimal digits`);
  }
  return text;
}

function toChain(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new UsageError(`Cannot use --chain "${text}": expected a positive integer`);
  }
  return Number(text);
}

/** Sign-in with wallets and the options for it need each other. */
function checkWallets(signIn: "key" | "wallet", wallets: readonly string[], chains: unknown): void {
  if (signIn === "wallet" && wallets.length === 0) {
    throw new UsageError("Cannot use --sign-in wallet: expected at least one --wallet");
  }
  if (signIn === "key" && (wallets.length > 0 || chains !== undefined)) {
    throw new UsageError("Cannot use --wallet or --chain: expected --sign-in wallet with them");
  }
}

function toSeconds(text: string): number {
  if (!/^\d{1,12}$/.test(text)) {
    throw new UsageError(`Cannot use --object-time "${text}": expected seconds since 1970`);
  }
  return Number(text);
}

function toCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) {
    throw new UsageError(`Cannot use --${option} "${text}": expected a number from 1 to 9999999`);
  }
  return Number(text);
}

const UNITS = ["", "K", "M", "G"];

/** The sizes of caches that were given. */
function toMemory(
  memory: string | undefined,
  cacheSize: string | undefined,
  storageKind: StorageKind,
): Pick<ServeCommand, "memoryBytes" | "cacheBytes"> {
  const cacheBytes = cacheSize === undefined ? undefined : toBytes("cache-size", cacheSize);
  const memoryBytes = memory === undefined ? undefined : toBytes("memory", memory);
  const least = leastMemoryBytes(cacheBytes, storageKind);
  if (memoryBytes !== undefined && memoryBytes < least) {
    throw new UsageError(`Cannot use --memory "${memory}": expected at least ${least} bytes`);
  }
  return {
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(cacheBytes !== undefined && { cacheBytes }),
  };
}

/** A number of bytes; each unit is 1,024 times the one before. */
function toBytes(option: string, text: string): number {
  const [, digits, unit = ""] = /^(\d{1,12})([KMG]?)(?:i?B)?$/i.exec(text) ?? [];
  if (digits === undefined) {
    throw new UsageError(
      `Cannot use --${option} "${text}": expected a number of bytes such as 67108864 or 64M`,
    );
  }
  return Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase());
}

function toOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new UsageError(`Cannot trust "${text}": expected an origin such as https://app.radicle.xyz`);
  }
  return url.origin;
}
