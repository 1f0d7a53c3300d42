// Signs in with the key of a Radicle home, shows the session and ends it.
// Run: node examples/sign_in.ts http://127.0.0.1:8080 ~/.radicle
// deno-lint-ignore-file no-console -- it talks to whoever runs it
import process from "node:process";
import { base58 } from "@scure/base";
import { parseNid } from "../mod.ts";
import { fileSystem, openSigner } from "../adapters/node/mod.ts";

/** Signs in to the service at `base`; returns the bearer token for changes. */
export async function signIn(base: string, home: string): Promise<string> {
  const { sessionId, publicKey } = await ask("POST", `${base}/api/v1/sessions`);
  const signer = await openSigner({
    home,
    nodeId: parseNid(publicKey),
    fileSystem,
    passphrase: process.env["RAD_PASSPHRASE"],
    agentSocket: process.env["SSH_AUTH_SOCK"],
  })();
  // Sign nothing else from a service: the same key signs references and changes.
  if (!/^[A-Za-z0-9]{32}$/.test(sessionId)) throw new Error("Not the id of a session");
  const signature = await signer.sign(new TextEncoder().encode(`${sessionId}:${publicKey}`));
  const body = { pk: publicKey, sig: `z${base58.encode(signature)}` };
  await ask("PUT", `${base}/api/v1/sessions/${sessionId}`, {}, body);
  return sessionId;
}

/** Signs out: the token is invalid afterwards. */
export async function signOut(base: string, token: string): Promise<void> {
  await ask("DELETE", `${base}/api/v1/sessions/${token}`, { authorization: `Bearer ${token}` });
}

/** Sends a request to the service; throws its error message when it refuses. */
export async function ask(method: string, url: string, headers: Record<string, string> = {}, body?: unknown) {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${answer.error}`);
  return answer;
}

if (import.meta.main) {
  const [base = "http://127.0.0.1:8080", home = `${process.env["HOME"]}/.radicle`] = process.argv.slice(2);
  const token = await signIn(base, home);
  console.log(await ask("GET", `${base}/api/v1/sessions/${token}`));
  await signOut(base, token);
}
