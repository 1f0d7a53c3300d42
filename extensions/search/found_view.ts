import type { FoundText } from "./contract.ts";
import type { Oid } from "../../src/mod.ts";
import type { SearchHit } from "./search_index.ts";
import { partsOfKey } from "./texts.ts";
import { excerptOf, fromIndexed } from "./words.ts";

/**
 * Returns a found text in the format of the API.
 *
 * @param name Name of the repository.
 * @param words Terms of the query.
 */
export function toFoundView(
  { rid, key, title, body, status }: SearchHit,
  name: string,
  words: readonly string[],
): FoundText {
  const { kind, id } = partsOfKey(key);
  return {
    type: kind,
    rid,
    name,
    ...(id !== undefined && { id: id as Oid }),
    title: fromIndexed(title),
    ...(status !== "" && { status }),
    excerpt: excerptOf(fromIndexed(body), words),
  };
}
