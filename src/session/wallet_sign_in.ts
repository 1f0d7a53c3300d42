/**
 * Sign-in with an Ethereum wallet (4.8, alternate variant): the bearer of a session is whoever signed a message with its nonce for this service.
 * Anyone with a wallet can; only the wallets that the host names may change anything.
 */
import { ApiError } from "../errors.ts";
import type { Session } from "../ports/session_table.ts";
import { recoverSigner } from "./ethereum.ts";
import { ALPHANUMERIC, HEX, randomText } from "./random_text.ts";
import { isSameSecret } from "./same_secret.ts";
import { requireUnauthorized, type Sessions } from "./sessions.ts";
import { isDomain, parseSignInMessage, type SignInMessage } from "./sign_in_message.ts";

/** Hexadecimal digits in the id of a wallet's session. */
export const WALLET_SESSION_ID_LENGTH = 64;
/** Letters and digits in a nonce. */
export const NONCE_LENGTH = 11;

/** What a wallet answers to a new session. */
export interface WalletProof {
  readonly message: string;
  /** 65 bytes. */
  readonly signature: Uint8Array;
}

/** Whom the host lets in, and as what. */
export interface WalletRules {
  /** The domain that messages must name; without it nobody can sign in. */
  readonly serviceDomain: string | undefined;
  /** Addresses that may change things, in lower case. */
  readonly wallets: ReadonlySet<string>;
}

/**
 * The rules of a host.
 *
 * @throws {TypeError} for a wallet that is no address: a typing error must not lock its owner out silently.
 */
export function createWalletRules(
  serviceDomain: string | undefined,
  wallets: readonly string[] = [],
): WalletRules {
  for (const wallet of wallets) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(wallet)) {
      throw new TypeError(`Cannot read wallet "${wallet}": expected 0x and 40 hexadecimal digits`);
    }
  }
  return { serviceDomain, wallets: new Set(wallets.map((wallet) => wallet.toLowerCase())) };
}

/** Opens a session that waits for a wallet's signature. */
export function openWalletSession(sessions: Sessions): Promise<Session> {
  return sessions.open({
    id: randomText(HEX, WALLET_SESSION_ID_LENGTH),
    nonce: randomText(ALPHANUMERIC, NONCE_LENGTH),
  });
}

/**
 * Authorizes a session, for at most as long as the message says. The order of the checks is the specification's; the expiry of the session, which it
 * does not place, comes after what makes a message foreign, as it does for key sessions.
 *
 * @throws {ApiError} `notFound` without such a session; `unauthorized` when it is authorized already or has expired, and for a foreign nonce or domain;
 * `badRequest` when the message cannot be read, is not valid now, or was not signed by the address that it names.
 * @throws {Error} when the host has set no domain.
 */
export async function signInWithWallet(
  sessions: Sessions,
  { serviceDomain, wallets }: WalletRules,
  id: string,
  { message: text, signature }: WalletProof,
  nowMs: number,
): Promise<Session> {
  const session = await sessions.find(id);
  requireUnauthorized(session);
  const message = parseSignInMessage(text);
  if (serviceDomain === undefined) {
    throw new Error("Nobody can sign in with a wallet: SERVICE_DOMAIN is not set");
  }
  if (!isSameSecret(session.nonce ?? "", message.nonce)) throw new ApiError("unauthorized", "Invalid nonce");
  if (!isDomain(serviceDomain)) throw new ApiError("unauthorized", "Invalid host");
  if (message.domain.toLowerCase() !== serviceDomain.toLowerCase()) {
    throw new ApiError("unauthorized", "Invalid domain");
  }
  sessions.requireUnexpired(session);
  requireValidNow(message, nowMs);
  const address = message.address.toLowerCase();
  if (await recoverSigner(text, signature) !== address) {
    throw new ApiError("badRequest", "Signature doesn't verify");
  }
  return await sessions.authorize(session, {
    message: text,
    mayChange: wallets.has(address),
    ...(message.expirationTime && { untilMs: message.expirationTime.ms }),
  });
}

function requireValidNow({ notBefore, expirationTime }: SignInMessage, nowMs: number): void {
  if (notBefore && notBefore.ms >= nowMs || expirationTime && expirationTime.ms < nowMs) {
    throw new ApiError("badRequest", "Message is not currently valid");
  }
}
