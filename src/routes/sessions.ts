/**
 * Handlers for sessions (specification, 4.8). A client proves that it holds a key or wallet. Then the session
 * id becomes the token of the client for writes.
 */
import type { Call } from "./call.ts";
import type { Done } from "../contract/node.ts";
import type {
  NewWalletSession,
  Session as SessionView,
  WaitingSession,
  WalletSession,
} from "../contract/sessions.ts";
import { KeyProof, WalletProof } from "../contract/bodies.ts";
import type { AnswerOf } from "../http/answer.ts";
import { readBearer } from "../http/privilege.ts";
import { MAX_BODY_BYTES, readJson } from "../http/body.ts";
import { json } from "../http/respond.ts";
import type { Session } from "../ports/session_table.ts";
import { openKeySession, signInWithKey } from "../session/key_sign_in.ts";
import { parseSignInMessage } from "../session/sign_in_message.ts";
import { showTime } from "../session/timestamp.ts";
import { openWalletSession, signInWithWallet } from "../session/wallet_sign_in.ts";

/** Header fields of responses with session ids, which are secrets. */
const NO_STORE = { "cache-control": "no-store" };

/** Opens a session that waits for a signature with the key of the node. */
export async function openSession(call: Call): Promise<AnswerOf<SessionView>> {
  const { sessions, ownerProofs, profile } = call.service;
  const isProven = await ownerProofs.check(call.request.headers.get("xylem-owner-proof"), profile.nodeId);
  const session = await openKeySession(sessions, isProven ? { ...call.sender, kind: "key" } : call.sender);
  return json(toSessionView(call, session), { status: 201, headers: NO_STORE });
}

export async function showSession(call: Call): Promise<AnswerOf<SessionView>> {
  const session = await call.service.sessions.find(call.param("id"));
  return json(toSessionView(call, session), { headers: NO_STORE });
}

export async function authorizeSession(call: Call): Promise<AnswerOf<Done>> {
  const { sessions, profile } = call.service;
  const id = call.param("id");
  const { sig, pk } = await readJson(call.request, KeyProof, MAX_BODY_BYTES, call.task);
  await signInWithKey(sessions, profile.nodeId, id, { publicKey: pk, signature: sig });
  return json({ success: true });
}

export async function deleteSession(call: Call): Promise<AnswerOf<Done>> {
  const token = readBearer(call.request);
  await call.service.sessions.remove(call.param("id"), token);
  return json({ success: true });
}

/** Opens a session that waits for the signature of a wallet. */
export async function openForWallet(call: Call): Promise<AnswerOf<NewWalletSession>> {
  const { id, nonce = "" } = await openWalletSession(call.service.sessions, call.sender);
  return json({ id, nonce }, { status: 201, headers: NO_STORE });
}

export async function showForWallet(call: Call): Promise<AnswerOf<WaitingSession | WalletSession>> {
  const { id, nonce = "", message, expiresAtMs } = await call.service.sessions.find(call.param("id"));
  return json(
    message === undefined
      ? { id, nonce, expirationTime: showTime(expiresAtMs) }
      : toWalletSessionView(id, message),
    { headers: NO_STORE },
  );
}

export async function authorizeWallet(call: Call): Promise<AnswerOf<WalletSession>> {
  const { sessions, walletRules, environment } = call.service;
  const id = call.param("id");
  const proof = await readJson(call.request, WalletProof, MAX_BODY_BYTES, call.task);
  if (walletRules === undefined) throw new Error("Routes for wallets are mounted without rules for wallets");
  await signInWithWallet(sessions, walletRules, id, proof, environment.now());
  return json(toWalletSessionView(id, proof.message), { headers: NO_STORE });
}

/** Times are seconds since the Unix epoch. `alias` is left out if the profile has no alias. */
function toSessionView(call: Call, session: Session): SessionView {
  const { nodeId, alias } = call.service.profile;
  return {
    sessionId: session.id,
    status: session.status,
    publicKey: nodeId,
    ...(alias !== undefined && { alias }),
    issuedAt: Math.floor(session.issuedAtMs / 1000),
    expiresAt: Math.floor(session.expiresAtMs / 1000),
  };
}

/**
 * Choice: As in `radicle-httpd`, `statement` is always null, `domain` has no port, and times have the format
 * of {@link showTime}.
 */
function toWalletSessionView(id: string, text: string): WalletSession {
  const message = parseSignInMessage(text);
  return {
    id,
    session: {
      domain: message.domain.replace(/:[0-9]+$/, ""),
      address: message.address.toLowerCase(),
      statement: null,
      uri: message.uri,
      version: 1,
      chainId: message.chainId,
      nonce: message.nonce,
      issuedAt: message.issuedAt.shown,
      expirationTime: message.expirationTime?.shown ?? null,
      resources: message.resources,
    },
  };
}
