/** Reads the values of options. Each throws `UsageError` for a text of no use. */
import { type BucketAddress, parseBucketAddress } from "../../src/replication/bucket/address.ts";
import { tryParseRid } from "../../src/ids/rid.ts";
import { isAliasName } from "../../src/routes/aliases.ts";
import { fieldName } from "../operation/client_share.ts";
import { type Address, parseAddress } from "../server/address.ts";
import { UsageError } from "./command_line.ts";

/** Host of an address that is only a port: a home is private, and 127.0.0.1 is for this machine only. */
const LOCAL_HOST = "127.0.0.1";

/** Reads one of a few words. */
export function oneOf<T extends string>(option: string, ...choices: readonly T[]): (text: string) => T {
  return (text) => {
    const chosen = choices.find((choice) => choice === text);
    if (chosen !== undefined) return chosen;
    throw new UsageError(`Cannot use --${option} "${text}": expected ${choices.join(" or ")}`);
  };
}

/** Reads a path as it is written. */
export function pathOr(option: string, expected: string): (text: string) => string {
  return (text) => {
    if (text !== "") return text;
    throw new UsageError(`Cannot use --${option} "": expected ${expected}`);
  };
}

/**
 * Reads a folder. A number is how many answers radicle-httpd caches: a folder of this name is hardly meant.
 */
export function toCache(text: string): string {
  if (!/^\d*$/.test(text)) return text;
  throw new UsageError(
    `Cannot use --cache "${text}": expected a directory or none; --cache-size is the size of a cache`,
  );
}

export function toAddress(text: string): Address {
  const address = parsePort(text) ?? parseAddress(text);
  if (address !== undefined) return address;
  throw new UsageError(`Cannot listen on "${text}": expected PORT, HOST:PORT, [IPV6]:PORT or unix:PATH`);
}

/** Reads a port of this machine. @param place What has it. */
export function toLocalAddress(text: string, place = "--port"): Address {
  const address = parsePort(text);
  if (address !== undefined) return address;
  throw new UsageError(`Cannot use ${place} "${text}": expected a port from 0 to 65535`);
}

/** A port alone, on which only this machine reaches the service. */
function parsePort(text: string): Address | undefined {
  return /^\d{1,5}$/.test(text) ? parseAddress(`${LOCAL_HOST}:${text}`) : undefined;
}

export function toBucket(text: string): BucketAddress {
  try {
    return parseBucketAddress(text);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Reads the URL of a service. The message does not repeat the text: it may hold a password. */
export function toServiceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === "" && url.password === "" && url.search === "" &&
    url.hash === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageError("Cannot use --origin: expected a URL such as https://seed.example.org");
}

export function toOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new UsageError(`Cannot trust "${text}": expected an origin such as https://app.radicle.xyz`);
}

/** Reads the URL of a service or a web app to sign in at; without a slash at the end. */
export function toSignInUrl(text: string): string {
  const base = plainBase(text);
  if (base !== undefined) return base;
  throw new UsageError(`Cannot sign in at "${text}": expected a URL such as http://127.0.0.1:8080`);
}

/** Reads the URL of a service to compare with; without a slash at the end. A password could not be sent. */
export function toComparedUrl(text: string): string {
  const base = plainBase(text);
  if (base !== undefined && new URL(base).username === "" && new URL(base).password === "") return base;
  throw new UsageError(
    "Cannot use --beside: expected a URL such as http://127.0.0.1:8080, without a password",
  );
}

/** A URL without query and fragment, and without a slash at the end. */
function plainBase(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  return isPlain ? url.href.replace(/\/+$/, "") : undefined;
}

/** Reads a name and the id that it stands for. */
export function toAlias(name: string, rid = ""): readonly [name: string, rid: string] {
  if (!isAliasName(name)) throw new UsageError(`Cannot use --alias "${name}": expected a name and an id`);
  const id = tryParseRid(rid);
  if (id !== undefined) return [name, id];
  throw new UsageError(`Cannot use --alias ${name} "${rid}": expected a repository id such as rad:z…`);
}

/** Reads the place of sessions. Never quotes the text: it may hold a password. */
export function toSessions(text: string): string {
  const isUrl = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  const isUnix = /^unix:/i.test(text);
  const isUsable = isUrl
    ? /^rediss?:/i.test(text) && URL.canParse(text) && new URL(text).hostname !== "" &&
      /^\/?\d*$/.test(new URL(text).pathname)
    : isUnix
    ? /^unix:\/./i.test(text)
    : text !== "";
  if (isUsable) return text;
  throw new UsageError(
    "Cannot use --sessions: expected memory, the path of a file, redis://HOST:PORT or unix:PATH of a socket",
  );
}

/** Reads the name of a header field, as it is compared. */
export function toFieldName(text: string): string {
  const name = fieldName(text);
  if (name !== undefined) return name;
  throw new UsageError(
    `Cannot use --client-address-header "${text}": expected the name of a header field such as X-Real-IP`,
  );
}

export function toWallet(text: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return text;
  throw new UsageError(`Cannot use --wallet "${text}": expected 0x and 40 hexadecimal digits`);
}

/** Reads a number. @param pattern What it looks like. */
export function numberOf(option: string, pattern: RegExp, expected: string): (text: string) => number {
  return (text) => {
    if (pattern.test(text)) return Number(text);
    throw new UsageError(`Cannot use --${option} "${text}": expected ${expected}`);
  };
}

const UNITS = ["", "K", "M", "G"];

/** Reads a number of bytes; each unit is 1,024 times the one before. */
export function bytesOf(option: string): (text: string) => number {
  return (text) => {
    const [, digits, unit = ""] = /^(\d{1,12})([KMG]?)(?:i?B)?$/i.exec(text) ?? [];
    if (digits !== undefined) return Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase());
    throw new UsageError(
      `Cannot use --${option} "${text}": expected a number of bytes such as 67108864 or 64M`,
    );
  };
}
