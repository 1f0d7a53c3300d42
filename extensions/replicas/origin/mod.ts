/**
 * The extension for an origin: the service next to a home, to which replicas pass requests on. Its responses
 * to changes name the new state, so that no replica shows an older state to the client.
 */
import { type Answer, type ApiExtension, type Call, type Extension, withHeaders } from "../../../src/mod.ts";
import { CONSISTENCY_TOKEN_FIELD, stateDigest, TokenSigner } from "./consistency_token.ts";
import { isFromReplica } from "./forwarded_head.ts";

/** Options of {@link origin}. */
export interface ConsistencyOptions {
  /**
   * Key of consistency tokens, with at least 32 characters. The replicas need the same key. Without a key, a
   * change is visible at once only through the replica that passed it on. Other replicas show the change when
   * it is published.
   */
  readonly tokenKey?: string | undefined;
}

/**
 * Adds consistency tokens to the responses of an origin.
 *
 * @throws {TypeError} for a key that is too short.
 */
export function origin({ tokenKey }: ConsistencyOptions = {}): ApiExtension {
  const tokens = new TokenSigner(tokenKey);
  const extension: Extension = {
    name: "origin",
    async complete(answer, call, isChange) {
      if (answer.status >= 400 || !isWanted(answer, call, isChange, tokens)) return answer;
      // An error is ignored here, because the change was made even if its state cannot be read.
      const token = await tokenOf(call, tokens).catch(() => undefined);
      return token === undefined ? answer : withHeaders(answer, { [CONSISTENCY_TOKEN_FIELD]: token });
    },
  };
  return extension;
}

/** Checks whether the client may next reach a replica that does not have the state of this response yet. */
function isWanted(answer: Answer, { request }: Call, isChange: boolean, tokens: TokenSigner): boolean {
  if (isChange) return tokens.hasKey || isFromReplica(request);
  // A shared cache would give the token to other clients.
  const isShared = /^public/.test(answer.headers["cache-control"] ?? "");
  return request.headers.has("xylem-consistency-token") && isFromReplica(request) && !isShared;
}

/**
 * Creates the token of the repository that a request has changed or read. After a change, the state of the
 * token contains the change. After a read, it is at least as new as the response. Returns `undefined` for a
 * request without a repository.
 */
async function tokenOf(call: Call, tokens: TokenSigner): Promise<string | undefined> {
  const opened = await call.repositories.current();
  if (opened === undefined) return undefined;
  const { rid, objects } = opened;
  // The time is taken before the digest. So the digest belongs to the state at this time or to a later state.
  // If a published state has this digest, or was read after this time, it contains the change.
  const atMs = call.service.environment.now();
  return tokens.sign({ rid, digest: await stateDigest(objects, call.task), atMs });
}
