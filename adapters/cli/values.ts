/** Parses the values of command-line options. Each function throws `UsageError` for an invalid text. */
import { type BucketAddress, parseBucketAddress } from "../../extensions/replicas/bucket/address.ts";
import { tryParseRid } from "../../src/ids/rid.ts";
import { isAliasName } from "../../src/routes/aliases.ts";
import { fieldName } from "../operation/client_share.ts";
import { type Address, parseAddress } from "../server/address.ts";
import { UsageError } from "./command_line.ts";

/**
 * Host of an address that is only a port. Only programs on this machine can connect, because a home is
 * private.
 */
const LOCAL_HOST = "127.0.0.1";

type Reader<T> = (text: string) => T;

/**
 * Returns a function that parses a text. If `parse` returns `undefined`, the function throws an error with
 * the message of `refuse`.
 */
function reader<T>(parse: (text: string) => T | undefined, refuse: (text: string) => string): Reader<T> {
  return (text) => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new UsageError(refuse(text));
  };
}

/** Returns a function that makes the error message for an invalid value. */
function unlike(option: string, expected: string): (text: string) => string {
  return (text) => `Cannot use --${option} "${text}": expected ${expected}`;
}

/** Returns a function that accepts only the given words. */
export function oneOf<T extends string>(option: string, ...choices: readonly T[]): Reader<T> {
  return reader((text) => choices.find((choice) => choice === text), unlike(option, choices.join(" or ")));
}

/** Returns a function that accepts a path. Its result is the path as the user wrote it. */
export function pathOr(option: string, expected: string): Reader<string> {
  return reader((text) => text || undefined, unlike(option, expected));
}

/**
 * Accepts the path of a cache folder. A number is refused, because in `radicle-httpd` this option is the
 * maximum number of cached responses.
 */
export const toCache: Reader<string> = reader(
  (text) => /^\d*$/.test(text) ? undefined : text,
  unlike("cache", "a directory or none; --cache-size sets the size of a cache"),
);

export const toAddress: Reader<Address> = reader(
  (text) => parsePort(text) ?? parseAddress(text),
  (text) => `Cannot listen on "${text}": expected PORT, HOST:PORT, [IPV6]:PORT or unix:PATH`,
);

/**
 * Accepts a port on 127.0.0.1.
 *
 * @param place Option or variable that contains the port.
 */
export function localAddressOf(place: string): Reader<Address> {
  return reader(parsePort, (text) => `Cannot use ${place} "${text}": expected a port from 0 to 65535`);
}

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

function plainUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" ? url : undefined;
}

function openUrl(text: string): URL | undefined {
  const url = plainUrl(text);
  return url?.username === "" && url.password === "" ? url : undefined;
}

function baseOf(url: URL | undefined): string | undefined {
  return url?.href.replace(/\/+$/, "");
}

/**
 * Accepts the URL of a service. The error message does not repeat the URL, because the URL may contain a
 * password.
 */
export const toServiceUrl: Reader<string> = reader(
  (text) => openUrl(text)?.href,
  () => "Cannot use --origin: expected a URL such as https://seed.example.org",
);

/** Reads where clones come from: `origin`, `bucket`, or a URL. */
export const toCloneSource: Reader<string> = reader(
  (text) => text === "origin" || text === "bucket" ? text : openUrl(text)?.href,
  (text) => `Cannot clone from "${text}": expected origin, bucket, or the https:// URL of the bucket`,
);

export const toOrigin: Reader<string> = reader(
  (text) => {
    const url = plainUrl(text);
    return url?.href === `${url?.origin}/` ? url?.origin : undefined;
  },
  (text) => `Cannot trust "${text}": expected an origin such as https://app.radicle.xyz`,
);

/** Accepts the URL of a service or a web app to sign in at. The result has no slash at the end. */
export const toSignInUrl: Reader<string> = reader(
  (text) => baseOf(plainUrl(text)),
  (text) => `Cannot sign in at "${text}": expected a URL such as http://127.0.0.1:8080`,
);

/** Parses an alias and the id of its repository. */
export function toAlias(name: string, rid = ""): readonly [name: string, rid: string] {
  if (!isAliasName(name)) {
    throw new UsageError(`Cannot use --alias "${name}": expected a name and a repository id`);
  }
  const id = tryParseRid(rid);
  if (id !== undefined) return [name, id];
  throw new UsageError(`Cannot use --alias ${name} "${rid}": expected a repository id such as rad:z…`);
}

/**
 * Accepts the location of the sessions. The error message does not repeat the text, because the text may
 * contain a password.
 */
export const toSessions: Reader<string> = reader(
  (text) => isPlaceOfSessions(text) ? text : undefined,
  () =>
    "Cannot use --sessions: expected memory, the path of a file, redis://HOST:PORT or unix:PATH of a socket",
);

function isPlaceOfSessions(text: string): boolean {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) {
    return /^rediss?:/i.test(text) && URL.canParse(text) && new URL(text).hostname !== "" &&
      /^\/?\d*$/.test(new URL(text).pathname);
  }
  return /^unix:/i.test(text) ? /^unix:\/./i.test(text) : text !== "";
}

/** Accepts the name of a header field. The result is in lower case. */
export const toFieldName: Reader<string> = reader(
  fieldName,
  unlike("client-address-header", "the name of a header field such as X-Real-IP"),
);

export const toWallet: Reader<string> = reader(
  (text) => /^0x[0-9a-fA-F]{40}$/.test(text) ? text : undefined,
  unlike("wallet", "0x and 40 hexadecimal digits"),
);

/** Accepts numbers whose text matches `pattern`. */
export function numberOf(option: string, pattern: RegExp, expected: string): Reader<number> {
  return reader((text) => pattern.test(text) ? Number(text) : undefined, unlike(option, expected));
}

const UNITS = ["", "K", "M", "G"];

/** Accepts a number of bytes, with `K`, `M` and `G` for powers of 1,024. */
export function bytesOf(option: string): Reader<number> {
  return reader((text) => {
    const [, digits, unit = ""] = /^(\d{1,12})([KMG]?)(?:i?B)?$/i.exec(text) ?? [];
    return digits === undefined ? undefined : Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase());
  }, unlike(option, "a number of bytes such as 67108864 or 64M"));
}
