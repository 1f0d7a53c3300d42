/** Annotated tags, which stand between references and commits. */
import { isOid, type Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";

/** Tags on the way to a commit; a longer chain leads to nothing. */
export const MAX_TAG_CHAIN = 16;

const FIRST_LINE = /^object ([0-9a-f]{40})\n/;

/**
 * Follows what is a tag to what it tags, over further tags; all else stays as it is, absent things and chains beyond {@link MAX_TAG_CHAIN} included.
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
