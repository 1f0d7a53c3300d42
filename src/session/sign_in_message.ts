/** Parses the text that a wallet signs to sign in (EIP-4361, "Sign-In with Ethereum", version 1). */
import { MalformedError } from "../errors.ts";
import { isChecksummedAddress } from "./ethereum.ts";
import { parseTimestamp, type Timestamp } from "./timestamp.ts";

/**
 * Maximum length of a message, in UTF-16 units. Usual messages have a few hundred units. The length is
 * limited because the service stores the messages of anyone who has a wallet.
 */
export const MAX_MESSAGE_LENGTH = 4096;

export interface SignInMessage {
  /** The service that requests the signature: the host, and the port if there is a port. */
  readonly domain: string;
  /** `0x` and 40 hexadecimal digits. Upper and lower case letters are the checksum of EIP-55. */
  readonly address: string;
  readonly uri: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: Timestamp;
  readonly expirationTime?: Timestamp;
  readonly notBefore?: Timestamp;
  readonly resources: readonly string[];
}

// The following parts of the grammar come from RFC 3986. Choice: The domain has no user information, because
// user information would only mislead.
const UNRESERVED = String.raw`A-Za-z0-9\-._~`;
const SUB_DELIMS = "!$&'()*+,;=";
const ESCAPE = "%[0-9A-Fa-f]{2}";
const AUTHORITY = String
  .raw`(?:\[[0-9A-Fa-f:.]+\]|(?:[${UNRESERVED}${SUB_DELIMS}]|${ESCAPE})+)(?::[0-9]{1,5})?`;
const URI = String.raw`[A-Za-z][A-Za-z0-9+.\-]*:(?:[${UNRESERVED}${SUB_DELIMS}:/?#[\]@]|${ESCAPE})*`;
const STATEMENT = String.raw`[${UNRESERVED}${SUB_DELIMS}:/?#[\]@ ]+`;
const REQUEST_ID = String.raw`(?:[${UNRESERVED}${SUB_DELIMS}:@]|${ESCAPE})*`;
const TIME = "[0-9Tt:.Zz+-]+";

const DOMAIN = new RegExp(`^${AUTHORITY}$`);
const MESSAGE = new RegExp(
  `^(?<domain>${AUTHORITY}) wants you to sign in with your Ethereum account:\n` +
    `(?<address>0x[0-9A-Fa-f]{40})\n` +
    `\n` +
    `(?:${STATEMENT}\n)?` +
    `\n` +
    `URI: (?<uri>${URI})\n` +
    `Version: 1\n` +
    `Chain ID: (?<chainId>[0-9]{1,15})\n` +
    `Nonce: (?<nonce>[0-9A-Za-z]{8,})\n` +
    `Issued At: (?<issuedAt>${TIME})` +
    `(?:\nExpiration Time: (?<expirationTime>${TIME}))?` +
    `(?:\nNot Before: (?<notBefore>${TIME}))?` +
    `(?:\nRequest ID: ${REQUEST_ID})?` +
    `(?:\nResources:(?<resources>(?:\n- ${URI})*))?$`,
);

/**
 * Parses a message. Choice: Chain ids have at most 15 digits, so that a double represents them exactly.
 *
 * @throws {MalformedError} for any deviation from the grammar, such as a line feed at the end, an address
 *   with a wrong checksum, a time that does not exist, or more than {@link MAX_MESSAGE_LENGTH} units.
 */
export function parseSignInMessage(text: string): SignInMessage {
  const parts = text.length > MAX_MESSAGE_LENGTH ? undefined : MESSAGE.exec(text)?.groups;
  if (parts === undefined) throw unreadable("expected the text of EIP-4361");
  if (!isChecksummedAddress(parts["address"]!)) {
    throw unreadable("expected an address with the checksum of EIP-55");
  }
  const { expirationTime, notBefore, resources } = parts;
  return {
    domain: parts["domain"]!,
    address: parts["address"]!,
    uri: parts["uri"]!,
    chainId: Number(parts["chainId"]),
    nonce: parts["nonce"]!,
    issuedAt: readTime(parts["issuedAt"]!),
    ...(expirationTime !== undefined && { expirationTime: readTime(expirationTime) }),
    ...(notBefore !== undefined && { notBefore: readTime(notBefore) }),
    resources: resources?.split("\n- ").slice(1) ?? [],
  };
}

/** Checks whether a text is a sign-in message with this nonce. */
export function isMessageWithNonce(text: string, nonce: string): boolean {
  try {
    return parseSignInMessage(text).nonce === nonce;
  } catch {
    return false;
  }
}

/**
 * Checks whether a text is a valid domain of a message, such as `example.org`, `127.0.0.1:8080` or
 * `[::1]:8080`.
 */
export function isDomain(text: string): boolean {
  return DOMAIN.test(text);
}

function readTime(text: string): Timestamp {
  const time = parseTimestamp(text);
  if (time === undefined) throw unreadable("expected times of RFC 3339");
  return time;
}

function unreadable(expected: string): MalformedError {
  return new MalformedError(`Cannot read sign-in message: ${expected}`);
}
