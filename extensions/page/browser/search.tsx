/** The view that searches all repositories, issues and patches. */
import type { JSX } from "preact";
import { useAnswer } from "./answers.ts";
import { visitor } from "./app.ts";
import { pageNumber, Pager } from "./lists.tsx";
import { Badge, counted, Empty, Loaded, Title } from "./parts.tsx";
import { hashOf, inRepository, type ViewProps } from "./places.ts";

/** Number of results on a page. */
const PER_PAGE = 50;

export function Search({ place: { parts, query } }: ViewProps): JSX.Element {
  const [, words = ""] = parts;
  const page = pageNumber(query["page"]);
  const answer = useAnswer(`search ${page} ${words}`, async (options) => {
    const { client } = visitor;
    // The page first asks whether the service has a search, because the browser would log a failed search
    // request as an error.
    const { links } = await client.get("/api/v1", {}, options);
    if (!links.some(({ href }) => href === "/info")) return null;
    if (!(await client.get("/api/v1/info", {}, options)).httpd.searchAvailable) return null;
    return await client.get("/api/v1/search", { q: words, page, perPage: PER_PAGE }, options);
  });
  return (
    <>
      <Title text={`Search: ${words}`} />
      <Loaded answer={answer}>
        {(found) =>
          found === null ? <Empty>This service does not search.</Empty> : (
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
