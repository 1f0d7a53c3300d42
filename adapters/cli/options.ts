/** The command line of `xylem`: its verbs and options, and their meaning. */
import { parseArgs } from "node:util";
import { leastMemoryBytes } from "../../src/cache/memory.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { tryParseRid } from "../../src/ids/rid.ts";
import { isAliasName } from "../../src/routes/aliases.ts";
import { type Address, DEFAULT_ADDRESS, parseAddress } from "../server/address.ts";

/** Host of an address that is only a port: a home is private, and 127.0.0.1 is for this machine only. */
const LOCAL_HOST = "127.0.0.1";

/** A command line that cannot be followed; the message is one line for whoever wrote it. */
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
  readonly behindProxy: boolean;
  /** Origins trusted besides those that always are. */
  readonly trustedOrigins: readonly string[];
  readonly signIn: "key" | "wallet";
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
  | { readonly verb: "session"; /** Arguments after the verb. */ readonly rest: readonly string[] }
  | {
    readonly verb: "help"; /** The verb to be explained; all of them when missing. */
    readonly of?: "session";
  }
  | { readonly verb: "version" };

/** Environment variables that stand for options. */
export interface OptionVariables {
  /** Port to listen on, when neither `--listen` nor `--port` is given; empty counts as none. */
  readonly PORT?: string | undefined;
}

/** The text of `--help`. */
export const HELP = `Serves a Radicle home over HTTP.

Usage: xylem [serve] [options]
       xylem session [options]      sign in to a running service: see xylem help session
       xylem help [session], xylem version

Where:
  --port PORT            listen on this port of 127.0.0.1; 8080 by default, or the variable PORT
  --listen ADDRESS       listen here: PORT, HOST:PORT, [IPV6]:PORT or unix:PATH; may be repeated
  --max-connections N    connections at a time; by default a quarter of the file descriptors that the process may
                         have, at most 1024

What:
  --home DIR             the Radicle home, by default RAD_HOME, else ~/.radicle, else the demo home
  --demo                 serve a demo home, which is made on first use
  --api v1|today|both    routes: those specified for version 1 (/projects), those of today's radicle-httpd (/repos),
                         or both, the default
  --no-page              browsers get JSON at / like all others, in place of a page to look around in
  --alias NAME RID, -a   NAME may stand for the repository RID in paths; may be repeated
  --evaluation newest|1.1|0.10|2024
                         evaluate issues and patches as today's programs do, the default, as earlier releases up to 1.2
                         or 1.0, or as those of early 2024
  --answers spec|objects form of reactions and review comments: pairs as specified, the default, or objects
  --object-time SECONDS  write everything with this time: for tests and recordings

For whom:
  --behind-proxy         requests come through a proxy: nobody is taken for the owner of the node
  --trust-origin ORIGIN  web pages of this origin may act for the owner, as those of https://app.radicle.xyz may;
                         may be repeated
  --sign-in key|wallet   how clients sign in: with the node's key, the default, or with an Ethereum wallet
  --wallet ADDRESS       this wallet may change things; may be repeated; sign-in with wallets needs one, and the host
                         that messages must name in the variable SERVICE_DOMAIN
  --chain ID             messages of wallets may name this chain; 1 by default; may be repeated

Memory:
  --cache DIR            keeps indexes of long histories here; by default in XDG_CACHE_HOME/xylem, else ~/.cache/xylem;
                         "none" keeps none
  --memory SIZE          memory of all caches: bytes, or a number with K, M or G; 1871M by default, of which a service
                         takes what it needs
  --cache-size SIZE      memory for cached answers on commits, diffs, folders and files, a part of --memory; 64M by
                         default, 0 for none

  -h, --help             show this text
  -v, --version          show the version
`;

/** The text of `xylem help session`. */
export const SESSION_HELP =
  `Signs in to a running service with the key of a home. Prints a bearer token for scripts, and links for a
browser: one to a web app, and one to the page of the service itself.

Usage: xylem session [options]

  --base URL             the service; http://127.0.0.1:8080 by default
  --home DIR             the Radicle home, by default RAD_HOME, else ~/.radicle
  --demo                 use the key of the demo home
  --explorer URL         the web app that the first link leads to; https://app.radicle.xyz by default
  -h, --help             show this text

A key with a passphrase is unlocked by RAD_PASSPHRASE, or by the ssh-agent behind SSH_AUTH_SOCK.
`;

/**
 * Reads the arguments after the command's name, and the variables that stand for some of them.
 *
 * @throws {UsageError} for unknown verbs and options and for values of no use.
 */
export function parseCommand(args: readonly string[], variables: OptionVariables = {}): Command {
  if (args[0] === "session") {
    const rest = args.slice(1);
    return asksForHelp(rest) ? { verb: "help", of: "session" } : { verb: "session", rest };
  }
  const { aliases, rest } = takeAliases(args);
  const { values, positionals } = parse(rest);
  if (values.help) return { verb: "help" };
  if (values.version || values.V) return { verb: "version" };
  const [verb = "serve", ...more] = positionals;
  if (verb === "help" && (more.length === 0 || more.join() === "serve")) return { verb };
  if (verb === "help" && more.join() === "session") return { verb, of: "session" };
  if (verb === "version" && more.length === 0) return { verb };
  if (verb !== "serve" || more.length > 0) {
    throw new UsageError(
      `Unknown command "${positionals.join(" ")}": expected serve, session, help or version`,
    );
  }
  if (values.demo && values.home !== undefined) {
    throw new UsageError("Cannot serve --demo and --home at once");
  }
  if (values.home === "") throw new UsageError(`Cannot use --home "": expected a directory`);
  if (values.cache === "") throw new UsageError(`Cannot use --cache "": expected a directory or none`);
  const signIn = toChoice("sign-in", values["sign-in"], ["key", "wallet"]);
  const wallets = values.wallet?.map(toWallet) ?? [];
  checkWallets(signIn, wallets, values.chain);
  return {
    verb,
    listen: toAddresses(values, variables),
    ...(values.home !== undefined && { home: values.home }),
    demo: values.demo,
    behindProxy: values["behind-proxy"],
    trustedOrigins: values["trust-origin"]?.map(toOrigin) ?? [],
    signIn,
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
    ...toMemory(values.memory, values["cache-size"]),
  };
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
        "behind-proxy": { type: "boolean", default: false },
        "trust-origin": { type: "string", multiple: true },
        "sign-in": { type: "string" },
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
function toMemory(memory?: string, cacheSize?: string): Pick<ServeCommand, "memoryBytes" | "cacheBytes"> {
  const cacheBytes = cacheSize === undefined ? undefined : toBytes("cache-size", cacheSize);
  const memoryBytes = memory === undefined ? undefined : toBytes("memory", memory);
  const least = leastMemoryBytes(cacheBytes);
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
