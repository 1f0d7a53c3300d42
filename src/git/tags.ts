/** Annotated tags, resolved to the objects that they tag. */
import { isOid, type Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";

/** Maximum length of a chain of tags; a longer one is not resolved. */
export const MAX_TAG_CHAIN = 16;

const FIRST_LINE = /^object ([0-9a-f]{40})\n/;

/**
 * Resolves tags to their targets, over further tags. All other ids are returned as they are, also of absent
 * objects and of chains beyond {@link MAX_TAG_CHAIN}.
 *
 * @throws {DamagedError} when a tag cannot be read.
 */
export async function followTags(repository: Repository, oids: readonly Oid[]): Promise<readonly Oid[]> {
  const followed: Oid[] = [];
  for (const oid of oids) followed.push(await followTag(repository, oid));
  return followed;
}

async function followTag(repository: Repository, oid: Oid): Promise<Oid> {
  let at = oid;
  for (let step = 0; step < MAX_TAG_CHAIN; step++) {
    if ((await repository.header(at))?.kind !== "tag") return at;
    const tag = await repository.object(at);
    const target = FIRST_LINE.exec(new TextDecoder("latin1").decode(tag?.bytes.subarray(0, 48)))?.[1];
    if (target === undefined || !isOid(target)) return oid;
    at = target;
  }
  return oid;
}
