/**
 * The service next to a home whose replicas pass requests on to it. Its answers to changes name the new
 * state, so no replica shows an older one to the client.
 */
import { type Answer, withHeaders } from "../../../src/http/answer.ts";
import type { Extension } from "../../../src/extension.ts";
import type { ApiExtension } from "../../../src/ports/extension.ts";
import type { Call } from "../../../src/routes/call.ts";
import { CONSISTENCY_TOKEN_FIELD, stateDigest, TokenSigner } from "./consistency_token.ts";
import { isFromReplica } from "./forwarded_head.ts";

/** Options of {@link origin}. */
export interface ConsistencyOptions {
  /**
   * Key of consistency tokens, of 32 characters or more, which the replicas have, too. Without it a change is
   * seen at once by way of the replica that passed it on, and at others when it is published.
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
      // A change is done whether or not its state can be read.
      const token = await tokenOf(call, tokens).catch(() => undefined);
      return token === undefined ? answer : withHeaders(answer, { [CONSISTENCY_TOKEN_FIELD]: token });
    },
  };
  return extension;
}

/** Whether the client may meet a replica that is behind the state of this answer. */
function isWanted(answer: Answer, { request }: Call, isChange: boolean, tokens: TokenSigner): boolean {
  if (isChange) return tokens.hasKey || isFromReplica(request);
  // A shared cache would give the token to others.
  const isShared = /^public/.test(answer.headers["cache-control"] ?? "");
  return request.headers.has("xylem-consistency-token") && isFromReplica(request) && !isShared;
}

/**
 * The token of the repository that a request has changed or read: a state that holds the change, or is as new
 * as the answer; `undefined` for requests of no repository.
 */
async function tokenOf(call: Call, tokens: TokenSigner): Promise<string | undefined> {
  const opened = await call.repositories.current();
  if (opened === undefined) return undefined;
  const { rid, objects } = opened;
  // The time comes first: the digest is of a later state, and either proves the change.
  const atMs = call.service.environment.now();
  return tokens.sign({ rid, digest: await stateDigest(objects, call.task), atMs });
}
