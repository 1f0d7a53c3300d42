/** The command line of `xylem`: what may be written on it and what it means. */
import { parseArgs } from "node:util";
import { type Address, DEFAULT_ADDRESS, parseAddress } from "../address.ts";

/** A command line that cannot be followed; the message is one line for whoever wrote it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What `xylem serve` was asked to do. */
export interface ServeCommand {
  readonly verb: "serve";
  readonly listen: readonly Address[];
  /** Radicle home as it was written; found by itself when missing. */
  readonly home?: string;
  readonly demo: boolean;
  readonly behindProxy: boolean;
  /** Origins trusted besides those that always are. */
  readonly trustedOrigins: readonly string[];
}

/** What was asked for. */
export type Command = ServeCommand | { readonly verb: "help" } | { readonly verb: "version" };

/** The text of `--help`. */
export const HELP = `Serves a Radicle home over HTTP.

Usage: xylem [serve] [options]

  --listen ADDRESS       HOST:PORT, [IPV6]:PORT or unix:PATH, 127.0.0.1:8080 by default; may be repeated
  --home DIR             the Radicle home, by default RAD_HOME, else ~/.radicle, else the demo home
  --demo                 serve a demo home that comes along
  --behind-proxy         requests come through a proxy: nobody is taken for the owner of the node
  --trust-origin ORIGIN  web pages of this origin may act for the owner, as those of https://app.radicle.xyz may;
                         may be repeated
  --help, --version      show this text, the version
`;

/**
 * Reads the arguments after the command's name.
 *
 * @throws {UsageError} for unknown verbs and options and for values of no use.
 */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { verb: "help" };
  if (values.version) return { verb: "version" };
  const [verb = "serve", ...more] = positionals;
  if (verb !== "serve" || more.length > 0) {
    throw new UsageError(`Unknown command "${positionals.join(" ")}": expected serve`);
  }
  if (values.demo && values.home !== undefined) {
    throw new UsageError("Cannot serve --demo and --home at once");
  }
  if (values.home === "") throw new UsageError(`Cannot use --home "": expected a directory`);
  return {
    verb,
    listen: values.listen?.map(toAddress) ?? [DEFAULT_ADDRESS],
    ...(values.home !== undefined && { home: values.home }),
    demo: values.demo,
    behindProxy: values["behind-proxy"],
    trustedOrigins: values["trust-origin"]?.map(toOrigin) ?? [],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        listen: { type: "string", multiple: true },
        home: { type: "string" },
        demo: { type: "boolean", default: false },
        "behind-proxy": { type: "boolean", default: false },
        "trust-origin": { type: "string", multiple: true },
        help: { type: "boolean", short: "h", default: false },
        version: { type: "boolean", short: "V", default: false },
      },
    });
  } catch (error) {
    // The runtimes word it differently; the first sentence says it everywhere.
    throw new UsageError(error instanceof Error ? error.message.split(/\. |\n/)[0] : String(error));
  }
}

function toAddress(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) {
    throw new UsageError(`Cannot listen on "${text}": expected HOST:PORT, [IPV6]:PORT or unix:PATH`);
  }
  return address;
}

function toOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new UsageError(`Cannot trust "${text}": expected an origin such as https://app.radicle.xyz`);
  }
  return url.origin;
}
