/** Commits by name: branches, tags and other references wherever the id of a commit may stand (2.1). */
import { type Call, type OpenRepository, requireHead } from "./call.ts";
import { ApiError } from "../errors.ts";
import { findNamedObject } from "../git/references.ts";
import { followTags } from "../git/tags.ts";
import { isHiddenRef } from "../git/hidden_refs.ts";
import type { Commitish } from "../ids/commitish.ts";
import { isOid, type Oid } from "../ids/oid.ts";
import type { CommitReading } from "../git/objects.ts";

/**
 * The object that an id or a name stands for, in the order of {@link findNamedObject}; hidden references are
 * not found. `HEAD` is the head on which the delegates agree when there is no such reference.
 *
 * @throws {ApiError} `notFound` for `HEAD` when there is no head.
 */
export async function findNamed(repository: OpenRepository, name: string): Promise<Oid | undefined> {
  const found = await findNamedObject(repository.objects, name, (ref) => !isHiddenRef(ref));
  if (found !== undefined || name !== "HEAD") return found;
  return repository.doc === undefined ? undefined : await requireHead(repository);
}

/**
 * The commit for which a text stands; that of an annotated tag is the tagged one. Marks the call: the answer
 * to a name is another one when the reference moves.
 *
 * @param open Opens the repository; called for names only.
 * @throws {ApiError} `notFound` when there is no such reference. An id is returned unseen.
 */
export async function commitOf(
  call: Call,
  commitish: Commitish,
  open: () => Promise<OpenRepository>,
): Promise<Oid> {
  if (isOid(commitish)) return commitish;
  const repository = await open();
  const found = await findNamed(repository, commitish);
  if (found === undefined) throw new ApiError("notFound", `Commit "${commitish}" was not found`);
  call.hasMovingName = true;
  const [commit = found] = await followTags(repository.objects, [found]);
  return commit;
}

/** Memory of a large commit while it is shown, in multiples of its bytes, about. */
const HELD_FACTOR = 2;

/** Makes room for the large commits of one answer, of which it shows one at a time. */
export class CommitMemory implements CommitReading {
  readonly #call: Call;
  /** Memory of the largest one so far, in bytes, about; 0 when none was large. */
  heldBytes = 0;
  /** Whether memory is reserved: not any more when the answer has begun to leave. */
  isReserved = true;

  constructor(call: Call) {
    this.#call = call;
  }

  /** @throws {ApiError} `unavailable` when no memory becomes free in time. */
  readonly requireRoom = async (bytes: number): Promise<void> => {
    const neededBytes = HELD_FACTOR * bytes;
    if (this.isReserved) await this.#call.requireRoom(neededBytes);
    this.heldBytes = Math.max(this.heldBytes, neededBytes);
  };
}
