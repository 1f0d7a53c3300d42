/** A search in all repositories, issues and patches. */
import type { JSX } from "preact";
import type { Client } from "../client/mod.ts";
import { useAnswer } from "./answers.ts";
import { visitor } from "./app.ts";
import type { ViewProps } from "./lazily.tsx";
import { pageNumber, Pager } from "./lists.tsx";
import { Badge, counted, Empty, Loaded, Title } from "./parts.tsx";
import { hashOf, inRepository } from "./places.ts";

/** Results of a page. */
const PER_PAGE = 50;

/** The results for words. */
export function Search({ place: { parts, query } }: ViewProps): JSX.Element {
  const [, words = ""] = parts;
  const page = pageNumber(query["page"]);
  const answer = useAnswer(
    `search ${page} ${words}`,
    ({ signal }) => search(visitor.client, words, page, signal),
  );
  return (
    <>
      <Title text={`Search: ${words}`} />
      <Loaded answer={answer}>
        {(found) =>
          found === undefined ? <Empty>This service does not search.</Empty> : (
            <>
              <p class="note" role="status">
                {found.length === 0 ? "Nothing found." : `${counted(found.length, "result")} on this page.`}
              </p>
              <ul class="cards">
                {found.map(({ type, rid, name, id, title, status, excerpt }) => (
                  <li key={`${rid} ${id}`}>
                    <h2>
                      <a
                        href={inRepository(
                          rid,
                          id === undefined ? [] : [type === "issue" ? "issues" : "patches", id],
                        )}
                      >
                        {title}
                      </a>
                      <Badge>{type}</Badge>
                      {status !== undefined && <Badge kind={status}>{status}</Badge>}
                    </h2>
                    {type !== "repository" && (
                      <p class="note">
                        in <a href={inRepository(rid)}>{name}</a>
                      </p>
                    )}
                    <p>{excerpt}</p>
                  </li>
                ))}
              </ul>
              <Pager
                page={page}
                hasMore={found.length === PER_PAGE}
                hrefOf={(page) => hashOf(["search", words], { page })}
              />
            </>
          )}
      </Loaded>
    </>
  );
}

/**
 * Finds; `undefined` where the service does not search. It is asked first: browsers log requests that fail as
 * errors.
 */
async function search(client: Client, words: string, page: number, signal: AbortSignal) {
  const { links } = await client.get("/api/v1", {}, { signal });
  if (!links.some(({ href }) => href === "/info")) return undefined;
  if (!(await client.get("/api/v1/info", {}, { signal })).httpd.searchAvailable) return undefined;
  return await client.get("/api/v1/search", { q: words, page, perPage: PER_PAGE }, { signal });
}
