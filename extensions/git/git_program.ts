/** The interface of a git program that serves clones and fetches. */
import type { NodeId, Oid, RepoId, Requester } from "../../src/mod.ts";

export type GitProtocol = 0 | 1 | 2;

export interface UploadPackRequest {
  readonly rid: RepoId;
  /** Node whose namespace is served as if it were a repository; `undefined` to serve all references. */
  readonly namespace: NodeId | undefined;
  readonly protocol: GitProtocol;
  /** Whether the client requests a list of references instead of objects. */
  readonly isList: boolean;
  /** Full names of hidden references. A name also hides the references below the name. */
  readonly hidden: readonly string[];
  /** Body of the client's request; `undefined` to advertise references and capabilities. */
  readonly input: Uint8Array<ArrayBuffer> | undefined;
}

export interface UploadPackOutput {
  /** Start of the output, in memory. Short output that is made quickly is complete. */
  readonly start: Uint8Array<ArrayBuffer>;
  /**
   * The rest of the output, which git makes while the caller reads the stream; `undefined` when `start` is
   * the whole output. Cancelling the stream ends the process.
   */
  readonly rest: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /**
   * Start of git's standard error, for the log only; `undefined` unless git failed, because the request is
   * invalid or the repository is damaged.
   */
  readonly failure: string | undefined;
}

/**
 * Runs git on the machine of the service. Each call runs one process, and may have to wait for a free slot.
 */
export interface GitProgram {
  /**
   * Runs `git upload-pack`.
   *
   * @param requester The client. The process ends when the client disconnects.
   * @throws {UnsupportedError} when the host has no git, or does not permit processes.
   * @throws {UnavailableError} when no slot becomes free in time, or the git process was stopped.
   */
  uploadPack(request: UploadPackRequest, requester: Requester): Promise<UploadPackOutput>;
  /**
   * Returns the given commits, except the commits that a visible reference can reach. If commits have wrong
   * times, the result may contain reachable commits.
   *
   * @param tips Objects of visible references from which the commits are probably reachable. The search
   * begins at these objects, because there may be very many references.
   * @throws the same errors as {@link uploadPack}.
   */
  commitsBeyondRefs(
    rid: RepoId,
    commits: readonly Oid[],
    tips: readonly Oid[],
    requester: Requester,
  ): Promise<ReadonlySet<Oid>>;
  /**
   * Returns the given objects, except the objects that a visible reference can reach. The call costs at most
   * as much as a clone.
   *
   * @throws the same errors as {@link uploadPack}.
   */
  unreachable(rid: RepoId, oids: readonly Oid[], requester: Requester): Promise<readonly Oid[]>;
}
