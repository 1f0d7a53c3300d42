/** git, the program: it serves clones and fetches of repositories. */
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Requester } from "../../src/ports/workers.ts";

/** Versions of git's wire protocol. */
export type GitProtocol = 0 | 1 | 2;

/** One request to `git upload-pack`. */
export interface UploadPackRequest {
  readonly rid: RepoId;
  /** Node whose namespace is served as a repository of its own; `undefined` for all references. */
  readonly namespace: NodeId | undefined;
  readonly protocol: GitProtocol;
  /** Whether references are asked for, not objects. */
  readonly isList: boolean;
  /** References that clients must not see: full names, each with everything below. */
  readonly hidden: readonly string[];
  /** Body of the client's request; `undefined` to advertise references and capabilities. */
  readonly input: Uint8Array<ArrayBuffer> | undefined;
}

/** Output of `git upload-pack`. */
export interface UploadPackOutput {
  /** The start of the output, which is in memory: all of it when it is short and comes soon. */
  readonly start: Uint8Array<ArrayBuffer>;
  /** The rest, made as it is read; `undefined` when there is none. Cancelling it ends the process. */
  readonly rest: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /**
   * The start of git's standard error when git has failed after `start`: the request makes no sense, or the
   * repository is damaged. For the log alone.
   */
  readonly failure: string | undefined;
}

/** git on the host's machine. Each call is one process, or waits for one. */
export interface GitProgram {
  /**
   * Runs `git upload-pack`.
   *
   * @param requester The client: when it leaves, the process ends.
   * @throws {UnsupportedError} when the host has no git, or permits no process.
   * @throws {UnavailableError} when too many processes run, for too long, or git was ended.
   */
  uploadPack(request: UploadPackRequest, requester: Requester): Promise<UploadPackOutput>;
  /**
   * Selects the commits to which no reference leads, hidden references left out, by a walk of commits as far
   * as it has to go. It may select a commit too many where clocks were wrong.
   *
   * @param tips Objects to which shown references point, and which probably lead to all the commits: that is
   *   found out first, since there may be very many references.
   * @throws as {@link uploadPack}.
   */
  commitsBeyondRefs(
    rid: RepoId,
    commits: readonly Oid[],
    tips: readonly Oid[],
    requester: Requester,
  ): Promise<ReadonlySet<Oid>>;
  /**
   * Selects the objects to which no reference leads, hidden references left out. Stops at the last wanted
   * object; the work is that of a clone at most.
   *
   * @throws as {@link uploadPack}.
   */
  unreachable(rid: RepoId, oids: readonly Oid[], requester: Requester): Promise<readonly Oid[]>;
}
