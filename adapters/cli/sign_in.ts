/** Signs in to a running service over HTTP with the key of a node. */
import type { Signer } from "../../src/ports/signer.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { challengeText } from "../../src/session/key_sign_in.ts";
import { makeOwnerProof, OWNER_PROOF_FIELD } from "../../src/session/owner_proof.ts";
import { reasonOf } from "./reason.ts";

/** Maximum length of a service's error text that is shown, in characters. */
const MAX_SHOWN_REASON = 200;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Creates a session and authorizes it. Returns the id of the session, which is a bearer token for a week. */
export async function openAuthorized(
  base: string,
  signer: Signer,
  fetch: Fetch = globalThis.fetch,
): Promise<string> {
  const { id, pk, sig } = await openSigned(base, signer, fetch);
  const body = JSON.stringify({ pk, sig });
  await ask(fetch, `${base}/api/v1/sessions/${id}`, { method: "PUT", body });
  return id;
}

/**
 * Creates a further session, and returns a link with which a browser authorizes it. The link is valid for one
 * minute.
 */
export async function openLink(
  base: string,
  signer: Signer,
  explorer: string,
  fetch: Fetch = globalThis.fetch,
): Promise<string> {
  const { id, pk, sig } = await openSigned(base, signer, fetch);
  const { protocol, hostname, port } = new URL(base);
  const addr = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  return `${explorer}/session/${id}?${new URLSearchParams({ pk, sig, addr })}`;
}

/**
 * Creates a further session, and returns a link to the service's web page, which authorizes the session;
 * `undefined` when the service has no page. The secrets are after `#` in the link. Browsers do not send this
 * part to any server.
 */
export async function openPageLink(
  base: string,
  signer: Signer,
  fetch: Fetch = globalThis.fetch,
): Promise<string | undefined> {
  const root = await fetch(`${base}/`, { headers: { accept: "text/html" } }).catch(() => undefined);
  await root?.body?.cancel();
  if (!root?.ok || !root.headers.get("content-type")?.startsWith("text/html")) return undefined;
  const { id, pk, sig } = await openSigned(base, signer, fetch);
  return `${base}/#/session/${id}?${new URLSearchParams({ pk, sig })}`;
}

interface SignedSession {
  readonly id: string;
  readonly pk: string;
  readonly sig: string;
}

/**
 * Creates a session and signs its challenge, which contains the id of the session. The key also signs
 * references and changes, so the challenge is signed only if the id has the format of a session id.
 */
async function openSigned(
  base: string,
  signer: Signer,
  fetch: Fetch,
): Promise<SignedSession> {
  const { sessionId: id, publicKey } = await openWaiting(base, signer, fetch);
  if (typeof id !== "string" || !/^[A-Za-z0-9]{32}$/.test(id)) {
    throw new Error(`Cannot sign in at ${base}: the service does not accept node keys`);
  }
  if (publicKey !== signer.nodeId) {
    throw new Error(`Cannot sign in at ${base}: the service belongs to another node than ${signer.nodeId}`);
  }
  const text = new TextEncoder().encode(challengeText(id, signer.nodeId));
  return { id, pk: signer.nodeId, sig: encodeMultibase(await signer.sign(text)) };
}

/**
 * Creates a session that is not authorized yet. If no slot for such a session is free, sends the request
 * again with a proof that the sender has the key.
 */
async function openWaiting(base: string, signer: Signer, fetch: Fetch): Promise<Record<string, unknown>> {
  const open = (headers: Record<string, string>) =>
    ask(fetch, `${base}/api/v1/sessions`, { method: "POST", headers });
  try {
    return await open({});
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 503) throw error;
    return await open({ [OWNER_PROOF_FIELD]: await makeOwnerProof(signer, Date.now()) });
  }
}

class RefusedError extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

async function ask(
  fetch: Fetch,
  url: string,
  init: RequestInit,
): Promise<Record<string, unknown>> {
  const { origin } = new URL(url);
  // The field `Content-Type` is set even without a body, as the client library does.
  const headers = new Headers(init.headers);
  headers.set("content-type", "application/json");
  const response = await fetch(url, { ...init, headers }).catch((cause) => {
    throw new Error(`Cannot reach ${origin}: ${reasonOf(cause)}`, { cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  const answer = typeof body === "object" && body !== null ? { ...body } as Record<string, unknown> : {};
  // The service may not be trustworthy, so control characters are removed before its text is shown on the
  // terminal.
  const reason = String(answer["error"] ?? response.status).replace(/[^\x20-\x7e]/g, "?").slice(
    0,
    MAX_SHOWN_REASON,
  );
  if (!response.ok) throw new RefusedError(`Cannot sign in at ${origin}: ${reason}`, response.status);
  return answer;
}
