/** Parses command lines. Defines the commands, and the rules for options that depend on each other. */
import type { BucketAddress } from "../../extensions/replicas/bucket/address.ts";
import { leastMemoryBytes, type StorageKind } from "../../src/cache/memory.ts";
import { type Address, DEFAULT_ADDRESS } from "../server/address.ts";
import { type OptionTable, parseArguments, UsageError, type Values } from "./command_line.ts";
import {
  BUCKET_OPTIONS,
  DEFAULT_EXPLORER,
  HOME_OPTIONS,
  PUBLISH_OPTIONS,
  SERVE_OPTIONS,
  SESSION_OPTIONS,
} from "./options.ts";
import type { NamedHome } from "./home.ts";
import { localAddressOf, toBucket, toSessions } from "./values.ts";

const VERBS = ["serve", "publish", "session", "help", "version"] as const;
/**
 * Maximum number of wrong characters in a mistyped command for which the error message suggests a command.
 */
const MAX_MISTAKES = 2;

/** A command line of `xylem serve`, including the environment variables that replace options. */
export interface ServeCommand extends Omit<Values<typeof SERVE_OPTIONS>, "listen" | "port" | "sessions"> {
  readonly verb: "serve";
  readonly listen: readonly Address[];
  /** Location of the sessions: `memory`, a path as the user wrote it, or the URL of a store. */
  readonly sessions: string;
}

/** A command line of `xylem publish`. */
export interface PublishCommand extends Values<typeof PUBLISH_OPTIONS> {
  readonly verb: "publish";
  /** The bucket to publish to. The address contains no secret. */
  readonly bucket: BucketAddress;
}

/** A command line of `xylem session`. */
export interface SessionCommand extends Values<typeof SESSION_OPTIONS> {
  readonly verb: "session";
  readonly explorer: string;
}

const HELPED = ["serve", "session", "publish"] as const;
export type HelpedVerb = typeof HELPED[number];

export type Command =
  | ServeCommand
  | PublishCommand
  | SessionCommand
  | {
    readonly verb: "help"; /** The command to be explained. */
    readonly of: HelpedVerb;
  }
  | { readonly verb: "version" };

export interface OptionVariables {
  /** Port to listen on if neither `--listen` nor `--port` is given. An empty text is treated as absent. */
  readonly PORT?: string | undefined;
  /**
   * Location of the sessions if `--sessions` is not given. An empty text is treated as absent. Use this
   * variable for a location with a password, because `ps` shows arguments to other users.
   */
  readonly XYLEM_SESSIONS?: string | undefined;
}

/**
 * Parses the arguments after the command's name, and the environment variables that replace some options.
 *
 * @throws {UsageError} for unknown commands and options, and for values that cannot be used.
 */
export function parseCommand(args: readonly string[], variables: OptionVariables = {}): Command {
  const [first, ...rest] = args;
  if (first === "publish") return parsePublish(rest);
  if (first === "session") return parseSession(rest);
  const given = parseArguments(SERVE_OPTIONS, args.map((arg) => arg === "-V" ? "-v" : arg));
  if (given.has("help")) return { verb: "help", of: "serve" };
  if (given.has("version")) return { verb: "version" };
  const [verb = "serve", ...more] = given.positionals;
  const of = HELPED.find((helped) => helped === (more[0] ?? "serve"));
  if (verb === "help" && more.length <= 1 && of !== undefined) return { verb, of };
  if (verb === "version" && more.length === 0) return { verb };
  if (!VERBS.some((known) => known === verb)) throw new UsageError(unknownCommand(verb));
  if (verb !== "serve" || more.length > 0) throw new UsageError(`Unknown argument "${more.at(-1)}"`);
  const values = given.read();
  checkHome(values);
  checkBucket(given.has, values.bucket !== undefined);
  checkWallets(values);
  checkProxy(values);
  checkMemory(values);
  const { listen, port, sessions = toSessions(variables.XYLEM_SESSIONS || "memory"), ...others } = values;
  return { verb, ...others, listen: addressesOf(listen, port, variables), sessions };
}

function parsePublish(args: readonly string[]): Command {
  const given = parseArguments(PUBLISH_OPTIONS, args);
  if (given.has("help")) return { verb: "help", of: "publish" };
  const [bucket, ...more] = given.positionals;
  if (bucket === undefined || more.length > 0) {
    throw new UsageError("Cannot publish: name one bucket, such as s3://name/prefix or a folder");
  }
  const address = toBucket(bucket);
  if (address.kind === "public") {
    throw new UsageError("Cannot publish over HTTPS: name s3://name/prefix or a folder");
  }
  const values = given.read();
  if (values.check && Object.keys(values).length > 1) {
    throw new UsageError("Cannot use other options with --check: use --check alone");
  }
  checkHome(values);
  return { verb: "publish", ...values, bucket: address };
}

function parseSession(args: readonly string[]): Command {
  const values = readAlone(SESSION_OPTIONS, args);
  if (values === undefined) return { verb: "help", of: "session" };
  checkHome(values);
  return { verb: "session", explorer: DEFAULT_EXPLORER, ...values };
}

/**
 * Parses the options of a command without other arguments. Returns `undefined` when the user requests the
 * help of the command.
 */
function readAlone<T extends OptionTable>(table: T, args: readonly string[]): Values<T> | undefined {
  const given = parseArguments(table, args);
  if (given.has("help")) return undefined;
  const [unknown] = given.positionals;
  if (unknown !== undefined) throw new UsageError(`Unknown argument "${unknown}"`);
  return given.read();
}

function unknownCommand(verb: string): string {
  const nearest = VERBS.toSorted((one, other) => distance(one, verb) - distance(other, verb))[0]!;
  const advice = distance(nearest, verb) <= MAX_MISTAKES
    ? `did you mean ${nearest}?`
    : `expected ${VERBS.slice(0, -1).join(", ")} or ${VERBS.at(-1)}`;
  return `Unknown command "${verb}": ${advice}`;
}

/**
 * Returns the minimum number of characters to add, remove or replace to change one word into the other
 * (Levenshtein distance).
 */
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

function checkHome({ home, demo }: NamedHome): void {
  if (demo && home !== undefined) {
    throw new UsageError("Cannot use --demo together with --home: use one of them");
  }
}

function checkBucket(has: (name: keyof typeof SERVE_OPTIONS) => boolean, hasBucket: boolean): void {
  const wrong = (hasBucket ? HOME_OPTIONS : BUCKET_OPTIONS).find(has);
  if (wrong !== undefined) {
    throw new UsageError(`Cannot use --${wrong} ${hasBucket ? "with" : "without"} --bucket`);
  }
}

/**
 * Returns the addresses from the options. Without such options, returns the address from the variable `PORT`,
 * or else {@link DEFAULT_ADDRESS}.
 */
function addressesOf(
  listen: readonly Address[] | undefined,
  port: Address | undefined,
  { PORT }: OptionVariables,
): readonly Address[] {
  if (listen !== undefined && port !== undefined) {
    throw new UsageError("Cannot use --port together with --listen: use --listen HOST:PORT alone");
  }
  if (listen !== undefined) return listen;
  return [port ?? (PORT ? localAddressOf("the variable PORT")(PORT) : DEFAULT_ADDRESS)];
}

function checkWallets({ "sign-in": signIn, wallet, chain }: Values<typeof SERVE_OPTIONS>): void {
  if (signIn === "wallet" && wallet === undefined) {
    throw new UsageError("Cannot use --sign-in wallet without --wallet: add at least one");
  }
  if (signIn !== "wallet" && (wallet ?? chain) !== undefined) {
    throw new UsageError("Cannot use --wallet or --chain alone: add --sign-in wallet");
  }
}

/**
 * Refuses a header field for the client's address without a proxy, because any client could set the field.
 */
function checkProxy(values: Values<typeof SERVE_OPTIONS>): void {
  if (values["client-address-header"] !== undefined && values["behind-proxy"] !== true) {
    throw new UsageError("Cannot use --client-address-header alone: add --behind-proxy");
  }
}

function checkMemory({ memory, "cache-size": cacheSize, bucket }: Values<typeof SERVE_OPTIONS>): void {
  const kind: StorageKind = bucket === undefined ? "home" : "bucket";
  const least = leastMemoryBytes(cacheSize, kind);
  if (memory !== undefined && memory < least) {
    throw new UsageError(`Cannot use --memory "${memory}": expected at least ${least} bytes`);
  }
}
