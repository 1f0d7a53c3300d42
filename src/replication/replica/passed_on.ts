/** Decides which requests a replica passes on to its origin, and passes them on. */
import { ApiError } from "../../errors.ts";
import type { Answer } from "../../http/answer.ts";
import type { RepoId } from "../../ids/rid.ts";
import { AwaitedChanges, CHANGE_POINT_FIELD, parseChangePoint, stateDigest } from "../origin/change_point.ts";
import { mayForward } from "../origin/forwarded_head.ts";
import { missingOrigin, type Origin } from "../origin/forward.ts";
import { gitRoutes, readObjectsRequest, UPLOAD_PACK_REQUEST_TYPE } from "../../routes/git.ts";
import type { BucketStorage } from "../storage/storage.ts";

/** A matched route of a request. */
export interface MatchedRoute {
  readonly pattern: string;
  /** The repository that the path names, if it names one. */
  readonly rid: RepoId | undefined;
}

const GIT_PATTERNS: ReadonlySet<string> = new Set(gitRoutes.map(([, pattern]) => pattern));
const SESSION_PATTERN = /\/sessions(?:\/|$)/;

/** Passes on all that a bucket cannot answer. */
export class PassedOn {
  readonly #origin: Origin | undefined;
  readonly #storage: BucketStorage;
  readonly #awaited: AwaitedChanges;

  /** @param now Milliseconds. */
  constructor(origin: Origin | undefined, storage: BucketStorage, now: () => number) {
    this.#origin = origin;
    this.#storage = storage;
    this.#awaited = new AwaitedChanges(now);
  }

  /**
   * The origin's answer; `undefined` when the replica answers itself.
   *
   * @throws {ApiError} `unavailable` for a change without an origin, and as `Origin.forward`.
   * @throws {UnsupportedError} for a search or a clone without an origin.
   */
  async answer(request: Request, { pattern, rid }: MatchedRoute): Promise<Answer | undefined> {
    const need = needOf(request.method, pattern);
    if (need !== undefined && this.#origin === undefined) throw missingOrigin(need);
    if (this.#origin === undefined) return undefined;
    if (need === undefined) {
      // A read that came through another proxy gets what is published: it must not be passed on.
      if (rid === undefined || !mayForward(request) || !await this.#isAwaited(rid)) return undefined;
      // While the origin is away, an older state is better than none.
      return await this.#origin.forward(request).catch((error) => {
        if (error instanceof ApiError && error.code === "unavailable") return undefined;
        throw error;
      });
    }
    const answer = await this.#origin.forward(need === "git" ? await checkedForGit(request) : request);
    const point = parseChangePoint(answer.headers[CHANGE_POINT_FIELD]);
    if (point !== undefined) this.#awaited.add(point);
    return answer;
  }

  /** Whether the bucket lacks a change that this replica has passed on. */
  async #isAwaited(rid: RepoId): Promise<boolean> {
    if (!this.#awaited.has(rid)) return false;
    const repository = await this.#storage.repository(rid);
    return this.#awaited.isAwaited(
      rid,
      repository && { digest: await stateDigest(repository), readAtMs: repository.manifest.publishedAtMs },
    );
  }
}

/**
 * A request of git as it goes on: one for objects is read, as the origin reads it, and goes on unpacked.
 *
 * @throws {ApiError} as {@link readObjectsRequest}.
 */
async function checkedForGit(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request;
  if (method !== "POST" || !mayForward(request) || headers.get("content-type") !== UPLOAD_PACK_REQUEST_TYPE) {
    return request;
  }
  const { body } = await readObjectsRequest(request);
  const fields = new Headers(headers);
  fields.delete("content-encoding");
  return new Request(url, { method, headers: fields, body, signal });
}

/** The reason why only the home can answer. */
function needOf(method: string, pattern: string): "change" | "search" | "git" | undefined {
  if (GIT_PATTERNS.has(pattern)) return "git";
  if (pattern.endsWith("/search")) return "search";
  if (SESSION_PATTERN.test(pattern)) return "change";
  return method === "GET" || method === "HEAD" ? undefined : "change";
}
