/**
 * The service next to a home, to which replicas pass requests on. Its answers to changes name the new state,
 * so no replica shows an older one to the client.
 */
import { type Answer, type ApiExtension, type Call, type Extension, withHeaders } from "../../../src/mod.ts";
import { CONSISTENCY_TOKEN_FIELD, stateDigest, TokenSigner } from "./consistency_token.ts";
import { isFromReplica } from "./forwarded_head.ts";

/** Options of {@link origin}. */
export interface ConsistencyOptions {
  /**
   * Key of consistency tokens, of 32 characters or more. The replicas need the same key. Without it, a change
   * is visible at once through the replica that passed it on, and through others when it is published.
   */
  readonly tokenKey?: string | undefined;
}

/**
 * Adds consistency tokens to the answers of an origin.
 *
 * @throws {TypeError} for a key that is too short.
 */
export function origin({ tokenKey }: ConsistencyOptions = {}): ApiExtension {
  const tokens = new TokenSigner(tokenKey);
  const extension: Extension = {
    name: "origin",
    async complete(answer, call, isChange) {
      if (answer.status >= 400 || !isWanted(answer, call, isChange, tokens)) return answer;
      // The change is done even if its state cannot be read.
      const token = await tokenOf(call, tokens).catch(() => undefined);
      return token === undefined ? answer : withHeaders(answer, { [CONSISTENCY_TOKEN_FIELD]: token });
    },
  };
  return extension;
}

/** Whether the client may reach a replica that does not have the state of this answer yet. */
function isWanted(answer: Answer, { request }: Call, isChange: boolean, tokens: TokenSigner): boolean {
  if (isChange) return tokens.hasKey || isFromReplica(request);
  // A shared cache would give the token to others.
  const isShared = /^public/.test(answer.headers["cache-control"] ?? "");
  return request.headers.has("xylem-consistency-token") && isFromReplica(request) && !isShared;
}

/**
 * The token of the repository that a request has changed or read. Its state contains the change, or is as new
 * as the answer. `undefined` for a request without a repository.
 */
async function tokenOf(call: Call, tokens: TokenSigner): Promise<string | undefined> {
  const opened = await call.repositories.current();
  if (opened === undefined) return undefined;
  const { rid, objects } = opened;
  // The time comes first: the digest belongs to a later state, and each of them proves the change.
  const atMs = call.service.environment.now();
  return tokens.sign({ rid, digest: await stateDigest(objects, call.task), atMs });
}
