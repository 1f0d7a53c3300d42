/**
 * Consistency tokens. The origin's answer to a change has a token, which names a state of the repository: the
 * digest of its references after the change, and the time by the origin's clock. A published state contains
 * the change when its references have that digest, or when they were read after that time. Clients send the
 * token with later reads of the repository, and no replica answers these from an older state.
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

/** Header field of a token: in the origin's answer, and in the client's next requests. */
export const CONSISTENCY_TOKEN_FIELD = "xylem-consistency-token";
/** Time after which a token is ignored, in milliseconds. */
export const TOKEN_LIFETIME_MS: number = 10 * 60_000;
/** How far the clock of the origin may be ahead of a replica's, in milliseconds. */
export const TOKEN_CLOCK_SKEW_MS = 5_000;
/** Longest token that is read, in characters. */
export const MAX_TOKEN_LENGTH = 200;

/** A state of a repository. Clients that know it must not be shown an older one. */
export interface ConsistencyToken {
  readonly rid: RepoId;
  /** {@link stateDigest} of the state. */
  readonly digest: string;
  /** Time after the change, in milliseconds since the epoch, by the clock of the origin. */
  readonly atMs: number;
}

/** The state of a repository that a publisher read. */
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
 * Digest of the references of a repository that clients get; origin and replica name a state by it: 32 hex
 * digits. Hidden references are not published, so they do not count.
 */
export async function stateDigest(repository: Repository, task: Task): Promise<string> {
  const refs = await resolveRefs(repository, "refs/", task);
  return await digestOfRefs(
    refs.some(({ name }) => isHiddenRef(name)) ? refs.filter(({ name }) => !isHiddenRef(name)) : refs,
    task,
  );
}

/**
 * Whether a published state contains a change. A state that was read in the same millisecond may be older, so
 * only its digest counts.
 */
export function hasReached(state: PublishedState, { digest, atMs }: ConsistencyToken): boolean {
  return state.digest === digest || state.readAtMs > atMs;
}

/** Tokens with the signature of a key that origin and replicas share. */
export class TokenSigner {
  readonly #key: Uint8Array | undefined;

  /**
   * @param key Without it, tokens have no signature, and tokens of clients are ignored.
   * @throws {TypeError} for a key of fewer than `MIN_TOKEN_KEY_LENGTH` characters.
   */
  constructor(key: string | undefined) {
    this.#key = key === undefined ? undefined : tokenKeyOf(key);
  }

  /** Whether clients may send tokens. */
  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /** The text of a token: the value of {@link CONSISTENCY_TOKEN_FIELD}. */
  sign({ rid, digest, atMs }: ConsistencyToken): string {
    const named = `${rid.slice("rad:".length)}.${digest}.${atMs}`;
    return `${named}.${this.#signature(named)}`;
  }

  /**
   * The token that a client sent for a repository. `undefined` for a token of another repository, a token
   * that is expired or from the future, one with a wrong signature, and any other text.
   *
   * @param nowMs The clock of the replica.
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

/** Reads a token without checking its signature; `undefined` for a missing or malformed one. */
export function parseToken(text: string | null | undefined): ConsistencyToken | undefined {
  if (!text || text.length > MAX_TOKEN_LENGTH) return undefined;
  const [, id = "", digest = "", at = ""] =
    /^(z\w+)\.([0-9a-f]{32})\.(\d{1,15})\.(?:[0-9a-f]{64})?$/.exec(text) ?? [];
  const rid = tryParseRid(id);
  return rid && { rid, digest, atMs: Number(at) };
}
