/** The interface of the git program, which serves clones and fetches of repositories. */
import type { NodeId, Oid, RepoId, Requester } from "../../src/mod.ts";

/** Versions of git's wire protocol. */
export type GitProtocol = 0 | 1 | 2;

/** One request to `git upload-pack`. */
export interface UploadPackRequest {
  readonly rid: RepoId;
  /** Node whose namespace is served as if it were a repository; `undefined` to serve all references. */
  readonly namespace: NodeId | undefined;
  readonly protocol: GitProtocol;
  /** Whether the client requests a list of references instead of objects. */
  readonly isList: boolean;
  /** Full names of references that clients must not see. References below these names are hidden as well. */
  readonly hidden: readonly string[];
  /** Body of the client's request; `undefined` to advertise references and capabilities. */
  readonly input: Uint8Array<ArrayBuffer> | undefined;
}

/** The output of `git upload-pack`. */
export interface UploadPackOutput {
  /** Start of the output, in memory. If the output is short and is made quickly, this is the whole output. */
  readonly start: Uint8Array<ArrayBuffer>;
  /**
   * The rest of the output, which git makes while the caller reads the stream; `undefined` when `start` is
   * the whole output. Cancelling this stream ends the process.
   */
  readonly rest: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /**
   * Start of git's standard error, for the log only. Present when git failed after `start`, because the
   * request is invalid or the repository is damaged.
   */
  readonly failure: string | undefined;
}

/**
 * Runs git on the host's machine. Each call runs one process, and may have to wait for a free slot before the
 * process starts.
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
   * Returns the given commits that no visible reference can reach. Walks the history only as far as
   * necessary. If commits have wrong times, the result may also contain reachable commits.
   *
   * @param tips Objects of visible references from which all the commits are probably reachable. The walk
   *   begins at these tips, because there may be very many references.
   * @throws the same errors as {@link uploadPack}.
   */
  commitsBeyondRefs(
    rid: RepoId,
    commits: readonly Oid[],
    tips: readonly Oid[],
    requester: Requester,
  ): Promise<ReadonlySet<Oid>>;
  /**
   * Returns the given objects that no visible reference can reach. Stops when all given objects are found.
   * The call costs at most as much work as a clone.
   *
   * @throws the same errors as {@link uploadPack}.
   */
  unreachable(rid: RepoId, oids: readonly Oid[], requester: Requester): Promise<readonly Oid[]>;
}
