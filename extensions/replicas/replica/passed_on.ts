/** Decides which requests a replica passes on to its origin, and passes them on. */
import {
  type Answer,
  clientKey,
  type RepoId,
  type RouteFacts,
  Task,
  UnavailableError,
} from "../../../src/mod.ts";
import { UPLOAD_PACK_REQUEST_TYPE } from "../../git/upload_request.ts";
import { AwaitedChanges } from "../origin/awaited_changes.ts";
import {
  CONSISTENCY_TOKEN_FIELD,
  type ConsistencyToken,
  hasReached,
  parseToken,
  stateDigest,
  TokenSigner,
} from "../origin/consistency_token.ts";
import { ClientClaims } from "../origin/client_claim.ts";
import { mayForward } from "../origin/forwarded_head.ts";
import {
  type ForwardedSender,
  missingOrigin,
  Origin,
  type OriginOptions,
  originUnavailable,
} from "../origin/forward.ts";
import { readObjectsRequest } from "../../git/routes.ts";
import type { BucketRepository } from "../storage/repository.ts";
import type { BucketStorage } from "../storage/storage.ts";

/**
 * Maximum number of reads with a consistency token that a replica passes on at the same time. A read counts
 * until its response has ended.
 */
export const MAX_READS_BY_TOKEN = 32;

export interface PassedOnOptions {
  readonly origin: OriginOptions | undefined;
  readonly storage: BucketStorage;
  /** Key that signs consistency tokens; without it, tokens of clients are ignored. */
  readonly tokenKey: string | undefined;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
}

/** Passes on every request that cannot be handled with the bucket alone. */
export class PassedOn {
  readonly #origin: Origin | undefined;
  readonly #readsByToken: Origin | undefined;
  readonly #storage: BucketStorage;
  readonly #tokens: TokenSigner;
  readonly #awaited: AwaitedChanges;
  readonly #now: () => number;
  readonly #claims: ClientClaims | undefined;

  /** @throws {TypeError} as the constructors of `Origin` and `TokenSigner`. */
  constructor({ origin, storage, tokenKey, now }: PassedOnOptions) {
    this.#origin = origin && new Origin(origin);
    this.#readsByToken = origin && new Origin({ ...origin, maxForwarded: MAX_READS_BY_TOKEN });
    this.#storage = storage;
    this.#tokens = new TokenSigner(tokenKey);
    this.#awaited = new AwaitedChanges(now);
    this.#now = now;
    this.#claims = tokenKey === undefined ? undefined : new ClientClaims(tokenKey, now);
  }

  get hasOrigin(): boolean {
    return this.#origin !== undefined;
  }

  /**
   * Returns the origin's response, or `undefined` when the replica responds itself.
   *
   * @throws {UnavailableError} for a change without an origin, for a read whose token names a later state
   *   than can be read, and in the same cases as `Origin.forward`.
   * @throws {UnsupportedError} for a search or a clone without an origin.
   */
  async answer(request: Request, { need, rid, address }: RouteFacts): Promise<Answer | undefined> {
    const task = new Task();
    if (need === undefined) return rid && await this.#read(request, rid, address, task);
    if (this.#origin === undefined) throw missingOrigin(need);
    const passed = need === "git" ? await checkedForGit(request, task) : request;
    const answer = await this.#origin.forward(passed, this.#senderOf(address));
    // Only tokens in responses to changes are used. Otherwise any client could decide what the replica waits
    // for.
    const token = need === "change" ? parseToken(answer.headers[CONSISTENCY_TOKEN_FIELD]) : undefined;
    if (token !== undefined) this.#awaited.add(token);
    return answer;
  }

  /** Passes on a read of a repository if its client may know a later state than the bucket has. */
  async #read(
    request: Request,
    rid: RepoId,
    address: string | undefined,
    task: Task,
  ): Promise<Answer | undefined> {
    // A request that came through another proxy must not be passed on, because it might come from this
    // replica.
    const mayPass = mayForward(request);
    const token = this.#tokens.verify(request.headers.get("xylem-consistency-token"), rid, this.#now());
    if (token !== undefined && !await this.#isPublished(token, true, task)) {
      if (this.#readsByToken === undefined || !mayPass) throw originUnavailable("The bucket is behind");
      return await this.#readsByToken.forward(request, this.#senderOf(address));
    }
    const awaited = this.#awaited.get(rid);
    if (awaited === undefined || !mayPass) return undefined;
    if (await this.#isPublished(awaited, false, task)) this.#awaited.delete(awaited);
    // For clients without a token, an older state is better than an error while the origin is unreachable.
    else {
      return await this.#origin?.forward(request, this.#senderOf(address)).catch(undefinedIfUnavailable);
    }
    return undefined;
  }

  #senderOf(address: string | undefined): ForwardedSender {
    return { client: clientKey(address), claim: this.#claims?.sign(address) };
  }

  /**
   * Checks whether the bucket has the state of a token, or a later state. Returns false when the bucket
   * cannot be read.
   *
   * @param mayAskAnew Whether to read the manifest again when the known state is older than the state of the
   *   token.
   */
  async #isPublished(token: ConsistencyToken, mayAskAnew: boolean, task: Task): Promise<boolean> {
    const has = async (repository: BucketRepository | undefined) =>
      repository !== undefined &&
      hasReached(
        { digest: await stateDigest(repository, task), readAtMs: repository.manifest.publishedAtMs },
        token,
      );
    try {
      return await has(await this.#storage.repository(token.rid)) ||
        mayAskAnew && await has(await this.#storage.renewed(token.rid));
    } catch (error) {
      return undefinedIfUnavailable(error) ?? false;
    }
  }
}

function undefinedIfUnavailable(error: unknown): undefined {
  if (!(error instanceof UnavailableError)) throw error;
}

/**
 * Prepares a request of git for the origin. A request for objects is read and checked in the same way as at
 * the origin, and is passed on without compression.
 *
 * @throws {CoreError} as {@link readObjectsRequest}.
 */
async function checkedForGit(request: Request, task: Task): Promise<Request> {
  const { url, method, headers, signal } = request;
  if (method !== "POST" || !mayForward(request) || headers.get("content-type") !== UPLOAD_PACK_REQUEST_TYPE) {
    return request;
  }
  const { body } = await readObjectsRequest(request, task);
  const fields = new Headers(headers);
  fields.delete("content-encoding");
  return new Request(url, { method, headers: fields, body, signal });
}
