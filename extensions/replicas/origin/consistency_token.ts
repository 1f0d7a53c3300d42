/**
 * Consistency tokens. The origin's response to a change has a token, which names a state of the repository:
 * the digest of the references after the change, and the time by the origin's clock. A published state
 * contains the change if its references have that digest, or if they were read after that time. Clients send
 * the token with later reads of the repository. No replica responds to these reads with an older state.
 */
import {
  digestOfRefs,
  isHiddenRef,
  isSameSecret,
  type RepoId,
  type Repository,
  resolveRefs,
  type Task,
  tryParseRid,
} from "../../../src/mod.ts";
import { signatureOf, tokenKeyOf } from "./token_key.ts";

/** Header field with a token, in the origin's response and in the client's next requests. */
export const CONSISTENCY_TOKEN_FIELD = "xylem-consistency-token";
/** Lifetime of a token, in milliseconds. Older tokens are ignored. */
export const TOKEN_LIFETIME_MS: number = 10 * 60_000;
/** Maximum time by which the clock of the origin may be ahead of the clock of a replica, in milliseconds. */
export const TOKEN_CLOCK_SKEW_MS = 5_000;
/** Maximum length of a token, in characters. Longer tokens are ignored. */
export const MAX_TOKEN_LENGTH = 200;

/** A state of a repository. A client that knows this state must not be shown an older state. */
export interface ConsistencyToken {
  readonly rid: RepoId;
  /** {@link stateDigest} of the state. */
  readonly digest: string;
  /** Time after the change, in milliseconds since the epoch, by the clock of the origin. */
  readonly atMs: number;
}

/** A state of a repository as a publisher has read it. */
export interface PublishedState {
  /** {@link stateDigest} of the references that were read. */
  readonly digest: string;
  /**
   * Time before the first reference was read, in milliseconds since the epoch, by the clock of the publisher,
   * which runs next to the origin.
   */
  readonly readAtMs: number;
}

/**
 * Returns the digest of the references that clients can see, in 32 hexadecimal digits. Origins and replicas
 * use this digest to name a state. Hidden references do not count, because they are not published.
 */
export async function stateDigest(repository: Repository, task: Task): Promise<string> {
  const refs = await resolveRefs(repository, "refs/", task);
  return await digestOfRefs(
    refs.some(({ name }) => isHiddenRef(name)) ? refs.filter(({ name }) => !isHiddenRef(name)) : refs,
    task,
  );
}

/**
 * Checks whether a published state contains a change. A state that was read in the same millisecond in which
 * the token was created may be older than the change, so only the digest of this state counts.
 */
export function hasReached(state: PublishedState, { digest, atMs }: ConsistencyToken): boolean {
  return state.digest === digest || state.readAtMs > atMs;
}

/** Signs and verifies tokens with a key that the origin and its replicas share. */
export class TokenSigner {
  readonly #key: Uint8Array | undefined;

  /**
   * @param key Without a key, tokens have no signature, and tokens of clients are ignored.
   * @throws {TypeError} for a key of fewer than `MIN_TOKEN_KEY_LENGTH` characters.
   */
  constructor(key: string | undefined) {
    this.#key = key === undefined ? undefined : tokenKeyOf(key);
  }

  /** Whether there is a key. Without a key, tokens of clients are ignored. */
  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /** Returns the text of a token, which is the value of {@link CONSISTENCY_TOKEN_FIELD}. */
  sign({ rid, digest, atMs }: ConsistencyToken): string {
    const named = `${rid.slice("rad:".length)}.${digest}.${atMs}`;
    return `${named}.${this.#signature(named)}`;
  }

  /**
   * Verifies the token that a client sent for a repository. Returns `undefined` for a token of another
   * repository, for a token that is expired or from the future, for a token with a wrong signature, and for
   * any other text.
   *
   * @param nowMs Time of the replica's clock, in milliseconds since the epoch.
   */
  verify(text: string | null, rid: RepoId, nowMs: number): ConsistencyToken | undefined {
    const token = this.#key === undefined ? undefined : parseToken(text);
    if (token?.rid !== rid) return undefined;
    if (token.atMs > nowMs + TOKEN_CLOCK_SKEW_MS || token.atMs <= nowMs - TOKEN_LIFETIME_MS) return undefined;
    return isSameSecret(this.sign(token), text!) ? token : undefined;
  }

  #signature(text: string): string {
    return this.#key === undefined ? "" : signatureOf(text, this.#key);
  }
}

/** Parses a token without verifying its signature. Returns `undefined` for a missing or malformed token. */
export function parseToken(text: string | null | undefined): ConsistencyToken | undefined {
  if (!text || text.length > MAX_TOKEN_LENGTH) return undefined;
  const [, id = "", digest = "", at = ""] =
    /^(z\w+)\.([0-9a-f]{32})\.(\d{1,15})\.(?:[0-9a-f]{64})?$/.exec(text) ?? [];
  const rid = tryParseRid(id);
  return rid && { rid, digest, atMs: Number(at) };
}
