/** Query of a search for texts (docs/api.md, 4.15). */
import * as v from "valibot";
import { pagingEntries } from "../../src/mod.ts";
import { MAX_QUERY_CHARACTERS } from "./words.ts";

export const FoundQuery = v.object({
  ...pagingEntries,
  q: v.optional(v.pipe(v.string(), v.maxLength(MAX_QUERY_CHARACTERS)), ""),
});
