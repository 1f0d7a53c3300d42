/** An API on a world, with somebody signed in who changes things. */
import type { Client } from "../../mod.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { type Answer, createTestApi, OWNER, type TestApi, type TestOptions } from "../support/api.ts";
import { signerOf } from "../support/keys.ts";
import { ALICE_SEED, createWorld, type World } from "../support/world.ts";

/** How a request is sent; by default as JSON, by the session that was signed in. */
export interface Sending {
  readonly headers?: Record<string, string>;
  readonly client?: Client;
  /** Path of the repository in place of that of version 1. */
  readonly below?: string;
}

/** An API whose bearer may change what the node may. */
export interface ChangeApi extends TestApi {
  /** The id of the session. */
  readonly token: string;
  /** Sends a body, as JSON unless it is text, to a path below `/projects/:project` of the public repository. */
  send(method: string, path: string, body: unknown, sending?: Sending): Promise<Answer>;
  /** What the repository holds: references, and the number of objects. */
  census(): unknown;
}

/** Builds the API; the node is the world's delegate unless another secret is given. */
export async function createChangeApi(
  options: TestOptions = {},
  world: World = createWorld(),
  secret: Uint8Array = ALICE_SEED,
): Promise<ChangeApi> {
  const signer = await signerOf(secret);
  const api = createTestApi({
    profile: { nodeId: signer.nodeId, alias: "tester", pinned: () => [] },
    signer: () => signer,
    ...options,
  }, world);
  const { body: { sessionId: token } } = await api.get("/sessions", OWNER, { method: "POST" });
  const signature = await signer.sign(new TextEncoder().encode(`${token}:${signer.nodeId}`));
  await api.get(`/sessions/${token}`, OWNER, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sig: encodeMultibase(signature), pk: signer.nodeId }),
  });
  const put = world.hello.put;
  const seen = new Set<string>();
  world.hello.put = (kind, bytes) => {
    const oid = put(kind, bytes);
    seen.add(oid);
    return oid;
  };
  return {
    ...api,
    token,
    send(method, path, body, { headers, client = OWNER, below = `/projects/${world.helloRid}` } = {}) {
      return api.get(below + path, client, {
        method,
        headers: headers ?? { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    },
    census: () => ({ refs: world.hello.refs("refs/"), written: [...seen] }),
  };
}
