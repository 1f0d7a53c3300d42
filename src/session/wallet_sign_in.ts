/**
 * Sign-in with an Ethereum wallet (specification, 4.8, alternate variant). Anyone who signs a message for
 * this service with the nonce of a session becomes the bearer of the session. Only wallets that the host
 * names may change anything.
 */
import { MalformedError, UnauthorizedError } from "../errors.ts";
import type { Session } from "../ports/session_table.ts";
import { recoverSigner } from "./ethereum.ts";
import { ALPHANUMERIC, randomSessionId, randomText } from "./random_text.ts";
import { isSameSecret } from "../text/digest.ts";
import { requireUnauthorized, type Sessions } from "./sessions.ts";
import { isDomain, parseSignInMessage, type SignInMessage } from "./sign_in_message.ts";
import type { Sender } from "./memory_table.ts";

export const NONCE_LENGTH = 11;

/** The wallet's signature for a new session. */
export interface WalletProof {
  readonly message: string;
  /** Signature of 65 bytes. */
  readonly signature: Uint8Array;
}

/** Id of the chain that messages may name by default: the main network of Ethereum. */
export const DEFAULT_CHAIN = 1;
/**
 * Maximum time by which the time of issue of a message may be ahead of the service's clock, in milliseconds.
 */
export const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** The host's rules for wallets. */
export interface WalletRules {
  /** The domain that messages and their `URI` must contain: the host, and the port if there is a port. */
  readonly domain: string;
  /** Ids of the chains that messages may name. */
  readonly chains: ReadonlySet<number>;
  /** Addresses of wallets that may change things, in lower case. */
  readonly wallets: ReadonlySet<string>;
}

/** Settings for sign-in with an Ethereum wallet. */
export interface WalletOptions {
  /**
   * Addresses of the wallets that may change things, at least one address. An address is `0x` and 40
   * hexadecimal digits. Other wallets may sign in, but change nothing.
   */
  readonly addresses: readonly string[];
  /** Host and optional port that the messages to sign must contain. */
  readonly domain: string;
  /** Ids of the chains that the messages may name; 1, Ethereum's main network, by default. */
  readonly chains?: readonly number[] | undefined;
}

/**
 * Checks a host's settings for wallets. Invalid settings throw an error and are never corrected, because a
 * typing error must not lock out the owner without a message.
 *
 * @throws {TypeError} when the domain or all wallets are missing, an address is invalid, or a chain is not a
 *   positive integer.
 */
export function createWalletRules(
  { addresses = [], domain = "", chains = [DEFAULT_CHAIN] }: WalletOptions,
): WalletRules {
  if (domain === "") throw new TypeError("Sign-in with a wallet needs the domain of the service");
  if (addresses.length === 0) {
    throw new TypeError("Sign-in with a wallet needs a wallet that may change things");
  }
  for (const wallet of addresses) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(wallet)) {
      throw new TypeError(`Cannot read wallet "${wallet}": expected 0x and 40 hexadecimal digits`);
    }
  }
  for (const chain of chains) {
    if (!Number.isSafeInteger(chain) || chain < 1) {
      throw new TypeError(`Cannot use chain "${chain}": expected a positive integer`);
    }
  }
  return {
    domain,
    chains: new Set(chains),
    wallets: new Set(addresses.map((wallet) => wallet.toLowerCase())),
  };
}

/**
 * Opens a session that waits for a wallet's signature.
 *
 * @throws {UnavailableError} when too many sign-ins are pending.
 */
export function openWalletSession(sessions: Sessions, sender: Sender): Promise<Session> {
  return sessions.open({
    id: randomSessionId(),
    nonce: randomText(ALPHANUMERIC, NONCE_LENGTH),
  }, sender);
}

/**
 * Authorizes a session, which expires with the message at the latest. The checks are in the order of the
 * specification. The specification does not define when to check whether the session has expired. As for
 * sign-in with the key of the node, this check comes after nonce and domain.
 *
 * @throws {NotFoundError} when there is no such session.
 * @throws {UnauthorizedError} when the session is already authorized or has expired, or when the message has
 *   the nonce of another session or another domain.
 * @throws {MalformedError} when the message is malformed, is not valid now, or was not signed by the address
 *   in it.
 * @throws {UnauthorizedError} after all other checks, for a URI of another domain, a chain that is not
 *   allowed, or a time of issue in the future.
 */
export async function signInWithWallet(
  sessions: Sessions,
  { domain, chains, wallets }: WalletRules,
  id: string,
  { message: text, signature }: WalletProof,
  nowMs: number,
): Promise<Session> {
  const session = await sessions.find(id);
  requireUnauthorized(session);
  const message = parseSignInMessage(text);
  if (!isSameSecret(session.nonce ?? "", message.nonce)) throw new UnauthorizedError("Invalid nonce");
  if (!isDomain(domain)) throw new UnauthorizedError("Invalid host");
  if (message.domain.toLowerCase() !== domain.toLowerCase()) {
    throw new UnauthorizedError("Invalid domain");
  }
  sessions.requireUnexpired(session);
  requireValidNow(message, nowMs);
  const address = message.address.toLowerCase();
  if (await recoverSigner(text, signature) !== address) {
    throw new MalformedError("Signature doesn't verify");
  }
  if (!isUriOf(domain, message.uri)) throw new UnauthorizedError("Invalid URI");
  if (!chains.has(message.chainId)) throw new UnauthorizedError("Invalid chain");
  if (message.issuedAt.ms > nowMs + MAX_CLOCK_DIFFERENCE_MS) {
    throw new UnauthorizedError("Invalid time");
  }
  return await sessions.authorize(session, {
    message: text,
    mayChange: wallets.has(address),
    ...(message.expirationTime && { untilMs: message.expirationTime.ms }),
  });
}

/** Checks whether a URI is an HTTP URI with the host and port of a domain. A default port may be omitted. */
function isUriOf(domain: string, uri: string): boolean {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    return false;
  }
  const expected = `${url.protocol}//${domain}`;
  return URL.canParse(expected) && new URL(expected).host === url.host;
}

function requireValidNow({ notBefore, expirationTime }: SignInMessage, nowMs: number): void {
  if (notBefore && notBefore.ms > nowMs || expirationTime && expirationTime.ms <= nowMs) {
    throw new MalformedError("Message is not currently valid");
  }
}
