/** The interface of a program that makes git packs of a repository's objects. */
import type { Oid, RepoId } from "../../../src/mod.ts";

/** The objects to pack: everything to which `tips` lead, without everything to which `published` lead. */
export interface PackRequest {
  readonly rid: RepoId;
  /** Ids of existing objects. */
  readonly tips: readonly Oid[];
  /** Ids of existing objects. Some of the objects to which they lead may be packed nevertheless. */
  readonly published: readonly Oid[];
  /** Commits whose parents the repository intentionally lacks. */
  readonly shallow: Iterable<Oid>;
  readonly signal?: AbortSignal | undefined;
  /** Called before the work waits until no other large work runs, or when it turns out to be large. */
  readonly onLarge?: (() => void) | undefined;
}

/** A pack with its index, in git's formats. No object is a delta of an object in another pack. */
export interface MadePack {
  /** The SHA-1 that the pack ends with. */
  readonly name: Oid;
  readonly pack: Uint8Array<ArrayBuffer>;
  readonly idx: Uint8Array<ArrayBuffer>;
}

/** Makes git packs. */
export interface PackMaker {
  /**
   * Makes the packs of some objects, and calls `use` for each of them, one after the other. A pack has at
   * most about {@link PACK_LIMIT_BYTES}, unless one of its objects is larger. There is no pack without
   * objects.
   *
   * @returns Whether the packs are complete. They are not when objects are missing in the repository.
   * @throws {UnsupportedError} when the host has no git, or does not permit processes.
   * @throws {DamagedError} when the objects cannot be packed.
   * @throws The reason of the signal.
   */
  make(
    request: PackRequest,
    use: (pack: MadePack) => Promise<void>,
  ): Promise<{ readonly isComplete: boolean }>;
}

/**
 * Maximum size of a pack, in bytes. It is limited because a pack is in memory while it is sent. The limit is
 * high, because an object cannot be a delta of an object in another pack: with a limit of 100 MB, the 136 MB
 * of git's own repository become 435 MB.
 */
export const PACK_LIMIT_BYTES: number = 2 ** 30;
