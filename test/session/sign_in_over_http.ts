/** Sign-in with the key of a home that the tests of the command make, over HTTP. */
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { signerOf } from "../support/keys.ts";

/**
 * Signs in and returns the token. The steps go to the services in turn: sessions that they share are known to
 * each.
 */
export async function signInWith(urls: readonly string[]): Promise<string> {
  const signer = await signerOf("ff".repeat(32));
  const opened = await fetch(`${urls[0]}/api/v1/sessions`, { method: "POST" });
  const { sessionId } = await opened.json();
  const signature = await signer.sign(new TextEncoder().encode(`${sessionId}:${signer.nodeId}`));
  const answer = await fetch(`${urls.at(-1)}/api/v1/sessions/${sessionId}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sig: encodeMultibase(signature), pk: signer.nodeId }),
  });
  const { success } = await answer.json();
  if (success !== true) throw new Error(`Cannot sign in: ${answer.status}`);
  return sessionId;
}
