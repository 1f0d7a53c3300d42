/** The interface of the git program, which serves clones and fetches of repositories. */
import type { NodeId, Oid, RepoId, Requester } from "../../src/mod.ts";

/** Versions of git's wire protocol. */
export type GitProtocol = 0 | 1 | 2;

/** One request to `git upload-pack`. */
export interface UploadPackRequest {
  readonly rid: RepoId;
  /** Node whose namespace is served like a repository; `undefined` to serve all references. */
  readonly namespace: NodeId | undefined;
  readonly protocol: GitProtocol;
  /** Whether the client requests a list of references instead of objects. */
  readonly isList: boolean;
  /** Full names of references that clients must not see. References below these names are hidden, too. */
  readonly hidden: readonly string[];
  /** Body of the client's request; `undefined` to advertise references and capabilities. */
  readonly input: Uint8Array<ArrayBuffer> | undefined;
}

/** The output of `git upload-pack`. */
export interface UploadPackOutput {
  /** Start of the output, in memory. A short output that is made quickly is completely in it. */
  readonly start: Uint8Array<ArrayBuffer>;
  /**
   * The rest of the output, which is made while the caller reads it; `undefined` when `start` is the whole
   * output. Cancelling this stream ends the process.
   */
  readonly rest: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /**
   * Start of git's standard error, for the log only. Present when git failed after `start`, because the
   * request is invalid or the repository is damaged.
   */
  readonly failure: string | undefined;
}

/**
 * Runs git on the host's machine. Each call runs one process, and may have to wait until it may start the
 * process.
 */
export interface GitProgram {
  /**
   * Runs `git upload-pack`.
   *
   * @param requester The client. The process ends when the client disconnects.
   * @throws {UnsupportedError} when the host has no git, or does not permit processes.
   * @throws {UnavailableError} when all slots are taken for too long, or git was stopped.
   */
  uploadPack(request: UploadPackRequest, requester: Requester): Promise<UploadPackOutput>;
  /**
   * Returns those of the given commits that are not reachable from any visible reference. Walks the history
   * only as far as necessary. If commits have wrong times, the result may contain too many commits.
   *
   * @param tips Objects of visible references from which all the commits are probably reachable. They are
   *   tried first, because there may be very many references.
   * @throws the same errors as {@link uploadPack}.
   */
  commitsBeyondRefs(
    rid: RepoId,
    commits: readonly Oid[],
    tips: readonly Oid[],
    requester: Requester,
  ): Promise<ReadonlySet<Oid>>;
  /**
   * Returns those of the given objects that are not reachable from any visible reference. Stops when all
   * wanted objects are found. The work is not more than the work of a clone.
   *
   * @throws the same errors as {@link uploadPack}.
   */
  unreachable(rid: RepoId, oids: readonly Oid[], requester: Requester): Promise<readonly Oid[]>;
}
