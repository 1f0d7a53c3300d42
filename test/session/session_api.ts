/** An API without repositories, on a node whose key and clock a test holds. */
import { allExtensions, type ExtensionOptions } from "../support/extensions.ts";
import { type ApiOptions, createApi } from "../../mod.ts";
import { importEd25519 } from "../../src/keys/ed25519.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { formatNid, type NodeId } from "../../src/ids/nid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { checkAnswer } from "../support/contract.ts";

/** Where the API is. */
export const BASE = "http://localhost:8080";

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- answers are looked into by their tests
  readonly body: any;
}

/** A node whose sessions can be asked for. */
export interface SessionApi {
  readonly clock: { nowMs: number };
  readonly nodeId: NodeId;
  readonly log: string[];
  /** Signs with the node's key; `z` and base58. */
  sign(text: string): Promise<string>;
  /** Answers as a host's handler does. */
  answer(request: Request): Promise<Response>;
  /** The same for clients. */
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  /** Asks for a path below `/api/v1`; a body that is no text is sent as JSON. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** The signer of a node whose secret key is 32 times `keyByte`. */
export async function signerOfKey(keyByte: number): Promise<Signer> {
  const { publicKey, sign } = await importEd25519(new Uint8Array(32).fill(keyByte));
  return { nodeId: formatNid(publicKey), sign };
}

/** Builds a node whose secret key is 32 times `keyByte`, its clock at `nowMs`. */
export async function createSessionApi(
  options: Partial<ApiOptions & ExtensionOptions & { alias: string; keyByte: number; nowMs: number }> = {},
): Promise<SessionApi> {
  const { alias = "hana", keyByte = 7, nowMs = 1_700_000_000_500, ...rest } = options;
  const key = await importEd25519(new Uint8Array(32).fill(keyByte));
  const nodeId = formatNid(key.publicKey);
  const clock = { nowMs };
  const log: string[] = [];
  const profile = { nodeId, alias, pinned: () => [] };
  const api = createApi({
    storage: createMemoryStorage(),
    profile,
    loadLibgit2: () => Promise.reject(new Error("no libgit2 in this test")),
    environment: { now: () => clock.nowMs, log: (_level, message) => log.push(message) },
    api: "v1",
    extensions: allExtensions(rest),
    ...rest,
  });
  const answer = (request: Request) => api.fetch(request);

  return {
    clock,
    nodeId,
    log,
    sign: async (text) => encodeMultibase(await key.sign(new TextEncoder().encode(text))),
    answer,
    fetch: (input, init) => answer(new Request(input, init)),
    async ask(
      method,
      path,
      body,
      headers = body === undefined ? {} : { "content-type": "application/json" },
    ) {
      const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
      const init = { method, headers, ...(text !== undefined && { body: text }) };
      const request = new Request(`${BASE}/api/v1${path}`, init);
      const response = await answer(request);
      const read = await response.text();
      checkAnswer(request, response, read, rest);
      return {
        status: response.status,
        headers: response.headers,
        body: read === "" ? undefined : JSON.parse(read),
      };
    },
  };
}
