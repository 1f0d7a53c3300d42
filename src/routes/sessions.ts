/** Sessions (4.8): a client proves that it holds a key or wallet; the session id is its token for writes. */
import { base16 } from "@scure/base";
import * as v from "valibot";
import type { Call, Route } from "./call.ts";
import type { Answer } from "../http/answer.ts";
import { readBearer } from "../http/bearer.ts";
import { MAX_BODY_BYTES, readJson } from "../http/body.ts";
import { json } from "../http/respond.ts";
import { SIGNATURE_BYTES } from "../identity/ed25519.ts";
import { decodeMultibase } from "../ids/multibase.ts";
import { type NodeId, tryParseNid } from "../ids/nid.ts";
import type { Session } from "../ports/session_table.ts";
import { openKeySession, signInWithKey } from "../session/key_sign_in.ts";
import { parseSignInMessage } from "../session/sign_in_message.ts";
import { showTime } from "../session/timestamp.ts";
import { openWalletSession, signInWithWallet } from "../session/wallet_sign_in.ts";

/** Sign-in with the node's key. */
const keySessionRoutes: readonly Route[] = [
  ["POST", "/api/v1/sessions", openSession],
  ["GET", "/api/v1/sessions/:id", showSession],
  ["PUT", "/api/v1/sessions/:id", authorizeSession],
  ["DELETE", "/api/v1/sessions/:id", deleteSession],
];

/** Sign-in with a wallet: the same paths, without sign-out. */
const walletSessionRoutes: readonly Route[] = [
  ["POST", "/api/v1/sessions", openForWallet],
  ["GET", "/api/v1/sessions/:id", showForWallet],
  ["PUT", "/api/v1/sessions/:id", authorizeWallet],
];

/** Routes of sessions, by the way to sign in. */
export function sessionRoutes(signIn: "key" | "wallet"): readonly Route[] {
  return signIn === "wallet" ? walletSessionRoutes : keySessionRoutes;
}

/** A schema of texts that `parse` accepts; its output is the parsed value. */
function textOf<T>(parse: (text: string) => T | undefined, message: string) {
  return v.pipe(
    v.string(),
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      const value = parse(dataset.value);
      if (value !== undefined) return value;
      addIssue({ message });
      return NEVER;
    }),
  );
}

const PublicKey = textOf<NodeId>(tryParseNid, "Expected a node id");
const Signature = textOf((text) => {
  const bytes = decodeMultibase(text);
  return bytes?.length === SIGNATURE_BYTES ? new Uint8Array(bytes) : undefined;
}, `Expected a signature of ${SIGNATURE_BYTES} bytes in multibase`);
const KeyProof = v.object({ sig: Signature, pk: PublicKey });

const WalletProof = v.object({
  message: v.string(),
  signature: v.pipe(
    v.string(),
    v.regex(/^(?:0x)?[0-9a-fA-F]{130}$/, "Expected 65 bytes in hexadecimal digits"),
    v.transform((text) => base16.decode(text.replace(/^0x/, "").toUpperCase())),
  ),
});

/** Header fields of answers with session ids, which are secrets. */
const NO_STORE = { "cache-control": "no-store" };

async function openSession(call: Call): Promise<Answer> {
  const session = await openKeySession(call.service.sessions, call.sender);
  return json(toSessionView(call, session), { status: 201, headers: NO_STORE });
}

async function showSession(call: Call): Promise<Answer> {
  const session = await call.service.sessions.find(call.param("id"));
  return json(toSessionView(call, session), { headers: NO_STORE });
}

async function authorizeSession(call: Call): Promise<Answer> {
  const { sessions, profile } = call.service;
  const id = call.param("id");
  const { sig, pk } = await readJson(call.request, KeyProof, MAX_BODY_BYTES);
  await signInWithKey(sessions, profile.nodeId, id, { publicKey: pk, signature: sig });
  return json({ success: true });
}

async function deleteSession(call: Call): Promise<Answer> {
  const token = readBearer(call.request);
  await call.service.sessions.remove(call.param("id"), token);
  return json({ success: true });
}

async function openForWallet(call: Call): Promise<Answer> {
  const { id, nonce } = await openWalletSession(call.service.sessions, call.sender);
  return json({ id, nonce }, { headers: NO_STORE });
}

async function showForWallet(call: Call): Promise<Answer> {
  const session = await call.service.sessions.find(call.param("id"));
  return json(toWalletSessionView(session), { headers: NO_STORE });
}

async function authorizeWallet(call: Call): Promise<Answer> {
  const { sessions, walletRules, environment } = call.service;
  const id = call.param("id");
  const proof = await readJson(call.request, WalletProof, MAX_BODY_BYTES);
  if (walletRules === undefined) throw new Error("Routes of wallets are mounted without rules for them");
  const session = await signInWithWallet(sessions, walletRules, id, proof, environment.now());
  return json(toWalletSessionView(session), { headers: NO_STORE });
}

/** Wire form of a session. Times are seconds since the epoch; `alias` is omitted if the profile has none. */
function toSessionView(call: Call, session: Session) {
  const { nodeId, alias } = call.service.profile;
  return {
    sessionId: session.id,
    status: session.status,
    publicKey: nodeId,
    alias,
    issuedAt: Math.floor(session.issuedAtMs / 1000),
    expiresAt: Math.floor(session.expiresAtMs / 1000),
  };
}

/**
 * Wire form of a wallet's session. Choice: as on the real service, `statement` is always null, `domain` has
 * no port, and times have the format of {@link showTime}.
 */
function toWalletSessionView({ id, nonce, message: text, expiresAtMs }: Session) {
  if (text === undefined) return { id, nonce, expirationTime: showTime(expiresAtMs) };
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
