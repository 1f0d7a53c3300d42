/** Loads the tags of a repository, if the service has a route that lists tags. */
import { type Answer, useAnswer } from "./answers.ts";
import { visitor } from "./app.ts";
import { useRepository } from "./parts.tsx";

/** A tag of the repository itself, or of a node. */
export interface NamedTag {
  readonly name: string;
  readonly commit: string;
  /** Alias or id of the node; `undefined` for a tag of the repository itself. */
  readonly of?: string;
}

const PREFIX = "refs/tags/";

/** Returns the tags of the repository, and the tags that nodes have signed. */
export function useTags(): Answer<readonly NamedTag[]> {
  const { rid } = useRepository();
  return useAnswer(`tags ${rid}`, async (options) => {
    const { client } = visitor;
    const { links } = await client.get("/api/v1", {}, options);
    // The route belongs to the `/repos` dialect, which the service may not have.
    if (!links.some(({ href }) => href === "/repos/:rid")) return [];
    const [{ refs: { tags } }, remotes] = await Promise.all([
      client.get("/api/v1/repos/:rid", { rid }, options),
      client.get("/api/v1/repos/:rid/remotes", { rid }, options),
    ]);
    return [
      ...Object.entries(tags).map(([name, { commit }]) => ({ name: name.replace(PREFIX, ""), commit })),
      ...remotes.flatMap(({ id, alias, refs }) =>
        Object.entries(refs).filter(([name]) => name.startsWith(PREFIX))
          .map(([name, commit]) => ({ name: name.slice(PREFIX.length), commit, of: alias ?? id }))
      ),
    ];
  });
}
