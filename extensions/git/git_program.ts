/** The program git, which serves clones and fetches of repositories. */
import type { NodeId, Oid, RepoId, Requester } from "../../src/mod.ts";

/** Versions of git's wire protocol. */
export type GitProtocol = 0 | 1 | 2;

/** One request to `git upload-pack`. */
export interface UploadPackRequest {
  readonly rid: RepoId;
  /** Node whose namespace is served as if it were a repository. `undefined` for all references. */
  readonly namespace: NodeId | undefined;
  readonly protocol: GitProtocol;
  /** Whether the client asks for a list of references, not for objects. */
  readonly isList: boolean;
  /** Full names of references that clients must not see. Everything below them is hidden, too. */
  readonly hidden: readonly string[];
  /** Body of the client's request. `undefined` to advertise references and capabilities. */
  readonly input: Uint8Array<ArrayBuffer> | undefined;
}

/** Output of `git upload-pack`. */
export interface UploadPackOutput {
  /** The start of the output, in memory. A short output that comes soon is here completely. */
  readonly start: Uint8Array<ArrayBuffer>;
  /**
   * The rest, which is made while the caller reads it. `undefined` when `start` is everything. Cancelling it
   * ends the process.
   */
  readonly rest: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /**
   * The start of git's standard error, when git failed after `start`: the request makes no sense, or the
   * repository is damaged. Only for the log.
   */
  readonly failure: string | undefined;
}

/** git on the host's machine. Each call runs one process, or waits until it may. */
export interface GitProgram {
  /**
   * Runs `git upload-pack`.
   *
   * @param requester The client. The process ends when the client disconnects.
   * @throws {UnsupportedError} when the host has no git, or does not permit processes.
   * @throws {UnavailableError} when too many processes run for too long, or git was ended.
   */
  uploadPack(request: UploadPackRequest, requester: Requester): Promise<UploadPackOutput>;
  /**
   * Selects the commits that no visible reference reaches, by walking the history only as far as necessary.
   * Where clocks were wrong, the result may contain a commit too many.
   *
   * @param tips Objects of visible references that probably reach all the commits. They are tried first,
   * since there may be very many references.
   * @throws as {@link uploadPack}.
   */
  commitsBeyondRefs(
    rid: RepoId,
    commits: readonly Oid[],
    tips: readonly Oid[],
    requester: Requester,
  ): Promise<ReadonlySet<Oid>>;
  /**
   * Selects the objects that no visible reference reaches. Stops at the last wanted object. The work is at
   * most that of a clone.
   *
   * @throws as {@link uploadPack}.
   */
  unreachable(rid: RepoId, oids: readonly Oid[], requester: Requester): Promise<readonly Oid[]>;
}
