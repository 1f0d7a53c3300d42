/** Describes the search for texts in the contract (docs/api.md, 4.15). */
import * as v from "valibot";
import { type Endpoint, list, Oid, read, RepoId } from "../../src/contract/mod.ts";
import { FoundQuery } from "./request.ts";

export const FoundText = v.object({
  type: v.picklist(["repository", "issue", "patch"]),
  rid: RepoId,
  name: v.pipe(v.string(), v.description("Name of the repository.")),
  id: v.exactOptional(v.pipe(Oid, v.description("Id of the issue or the patch."))),
  title: v.pipe(v.string(), v.description("Title of the issue or the patch, or the name of the repository.")),
  status: v.exactOptional(v.pipe(v.string(), v.description("State of the issue or the patch."))),
  excerpt: v.pipe(
    v.string(),
    v.description("Part of a description or comment around a found word, as one line of plain text."),
  ),
});

export type FoundText = v.InferOutput<typeof FoundText>;

export const searchEndpoints = [
  read(
    "4.15",
    "/search",
    "search",
    "Repositories, issues and patches in which all words occur, the best first.",
    list(FoundText),
    {
      query: FoundQuery,
      queryParameters: {
        q: "Words that must all occur; the last one may be the beginning of a word. At most 256 characters.",
        perPage: "Items on a page, at most 100.",
      },
      errors: ["badParameter", "unsupported"],
    },
  ),
] as const satisfies readonly Endpoint[];
