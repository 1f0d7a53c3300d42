/** A found text, as clients see it. */
import type { FoundText } from "../contract/search.ts";
import type { Oid } from "../ids/oid.ts";
import type { SearchHit } from "../ports/search_index.ts";
import { partsOfKey } from "../../extensions/search/texts.ts";
import { excerptOf, fromIndexed } from "../../extensions/search/words.ts";

/**
 * The view of a found text.
 *
 * @param name Name of the repository.
 * @param words The words that were looked for.
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
