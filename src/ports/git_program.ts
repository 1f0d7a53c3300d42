/** git, the program: it serves clones and fetches of repositories. */
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Asker } from "./workers.ts";

/** Versions of git's wire protocol. */
export type GitProtocol = 0 | 1 | 2;

/** One request to `git upload-pack`. */
export interface UploadPackRequest {
  readonly rid: RepoId;
  /** Node whose namespace is served as a repository of its own; `undefined` for all references. */
  readonly namespace: NodeId | undefined;
  readonly protocol: GitProtocol;
  /** References that clients must not see: full names, each with everything below. */
  readonly hidden: readonly string[];
  /** Body of the client's request; `undefined` to advertise references and capabilities. */
  readonly input: Uint8Array<ArrayBuffer> | undefined;
}

/** git on the host's machine. Each call is one process, or waits for one. */
export interface GitProgram {
  /**
   * Runs `git upload-pack`.
   *
   * @param asker The client: when it leaves, the process ends.
   * @returns The output, made as it is read. Cancelling it ends the process.
   * @throws {UnsupportedError} when the host has no git, or permits no process.
   * @throws {ApiError} `unavailable` when too many processes run, for too long.
   */
  uploadPack(request: UploadPackRequest, asker: Asker): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /**
   * Selects the objects to which no reference leads, hidden references left out. Stops at the last wanted
   * object; the work is that of a clone at most.
   *
   * @throws as {@link uploadPack}.
   */
  unreachable(rid: RepoId, oids: readonly Oid[], asker: Asker): Promise<readonly Oid[]>;
}
