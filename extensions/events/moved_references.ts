/** Compares two lists of references, and stores the last state of each repository. */
import {
  compareUtf8,
  isHiddenRef,
  ISSUE_TYPE,
  type Oid,
  PATCH_TYPE,
  type RepoId,
  type ResolvedRef,
  type Steps,
} from "../../src/mod.ts";

/**
 * Maximum number of moved references in one comparison. After more moves, the event is a `reset` of the
 * repository.
 */
export const MAX_MOVED = 1024;
/**
 * Number of references that are compared before other work may run. Comparing these references takes less
 * than a millisecond.
 */
const COMPARED_AT_ONCE = 1024;

/**
 * A reference that has moved. `from` is `null` for a new reference, and `to` is `null` for a deleted
 * reference.
 */
export interface MovedReference {
  readonly name: string;
  readonly from: Oid | null;
  readonly to: Oid | null;
}

export interface MovedObject {
  readonly type: "issue" | "patch";
  readonly id: Oid;
  readonly isNew: boolean;
}

/**
 * Yields the references that differ between two lists, without hidden references. Returns `undefined` when
 * more than {@link MAX_MOVED} references differ.
 *
 * @param before Earlier references. Both lists are in bytewise order of the names.
 */
export function* movedReferences(
  before: readonly ResolvedRef[],
  now: readonly ResolvedRef[],
): Steps<readonly MovedReference[] | undefined> {
  const moved: MovedReference[] = [];
  for (let i = 0, j = 0; i < before.length || j < now.length;) {
    if ((i + j) % COMPARED_AT_ONCE === 0) yield;
    const old = before[i];
    const next = now[j];
    const order = old === undefined ? 1 : next === undefined ? -1 : compareUtf8(old.name, next.name);
    const name = order <= 0 ? old!.name : next!.name;
    const from = order <= 0 ? old!.oid : null;
    const to = order >= 0 ? next!.oid : null;
    if (order <= 0) i++;
    if (order >= 0) j++;
    if (from === to || isHiddenRef(name)) continue;
    moved.push({ name, from, to });
    if (moved.length > MAX_MOVED) return undefined;
  }
  return moved;
}

const TYPES = { [ISSUE_TYPE]: "issue", [PATCH_TYPE]: "patch" } as const;
const OBJECT = /^refs\/namespaces\/[^/]+\/refs\/cobs\/(xyz\.radicle\.(?:issue|patch))\/([0-9a-f]{40})$/;

export function* movedObjects(
  moved: readonly MovedReference[],
  before: readonly ResolvedRef[],
): Steps<readonly MovedObject[]> {
  const found = new Map<string, { readonly type: "issue" | "patch"; readonly id: Oid; isNew: boolean }>();
  for (const { name, from } of moved) {
    const [, type, id] = OBJECT.exec(name) ?? [];
    if (type === undefined) continue;
    const object = found.get(id!) ?? { type: TYPES[type as keyof typeof TYPES], id: id as Oid, isNew: true };
    if (from !== null) object.isNew = false;
    found.set(id!, object);
  }
  if (found.size === 0) return [];
  // An object is not new if another node already had a reference to the object.
  for (let i = 0; i < before.length; i++) {
    if (i % COMPARED_AT_ONCE === COMPARED_AT_ONCE - 1) yield;
    const { name } = before[i]!;
    const known = found.get(name.slice(name.lastIndexOf("/") + 1));
    if (known !== undefined) known.isNew = false;
  }
  return [...found.values()];
}

/** Maximum number of watched repositories. */
export const MAX_WATCHED = 20_000;
/** Maximum number of references of one repository in memory. */
export const MAX_REFERENCES_OF_ONE = 20_000;
/** Maximum number of references of all repositories in memory. */
export const MAX_REFERENCES_OF_ALL = 100_000;

/** A repository when it was last read. */
export interface RepositoryState {
  /** Version of the references (`Repository.refsVersion`); `undefined` if the storage has no versions. */
  readonly version: number | undefined;
  readonly isPublic: boolean;
  /** Digest of all references. */
  readonly digest: string;
  /**
   * The references; `undefined` when there are too many references to store. Any change then becomes a
   * `reset` of the repository.
   */
  readonly refs: readonly ResolvedRef[] | undefined;
}

export class RepositoryStates {
  readonly #states = new Map<RepoId, RepositoryState>();
  #references = 0;

  get size(): number {
    return this.#states.size;
  }

  rids(): readonly RepoId[] {
    return [...this.#states.keys()];
  }

  get(rid: RepoId): RepositoryState | undefined {
    return this.#states.get(rid);
  }

  /** Stores the state of a repository. Leaves out the references if there are too many. */
  set(rid: RepoId, state: RepositoryState): void {
    this.delete(rid);
    const count = state.refs?.length ?? 0;
    const hasRoom = count <= MAX_REFERENCES_OF_ONE && this.#references + count <= MAX_REFERENCES_OF_ALL;
    if (hasRoom) this.#references += count;
    this.#states.set(rid, hasRoom ? state : { ...state, refs: undefined });
  }

  delete(rid: RepoId): void {
    this.#references -= this.#states.get(rid)?.refs?.length ?? 0;
    this.#states.delete(rid);
  }
}
