/** The first view, which shows the repositories of the node. */
import type { JSX } from "preact";
import type { Project } from "../../../src/client/mod.ts";
import { useAnswer, useFreshness } from "./answers.ts";
import { seen, visitor } from "./app.ts";
import { pageNumber, Pager, useFilter } from "./lists.tsx";
import { Avatar, Badge, Copy, counted, Empty, Loaded, Title } from "./parts.tsx";
import { hashOf, inRepository, type ViewProps } from "./places.ts";

/** Number of repositories on a page. */
const PER_PAGE = 50;

export function Home({ place: { query } }: ViewProps): JSX.Element {
  const page = pageNumber(query["page"]);
  const answer = useAnswer(`home ${page}`, async (options) => {
    const { client } = visitor;
    const [{ nid }, projects] = await Promise.all([
      client.get("/api/v1", {}, options),
      client.get("/api/v1/projects", { show: "all", page, perPage: PER_PAGE }, options),
    ]);
    const { alias } = await client.get("/api/v1/nodes/:nid", { nid }, options);
    seen.set("nid", nid).set("did", `did:key:${nid}`).set("delegate", `did:key:${nid}`);
    if (projects[0] !== undefined) remember(projects[0]);
    return { nid, alias, projects };
  });
  useFreshness(answer.reload);
  return (
    <Loaded answer={answer} isView>
      {({ nid, alias, projects }) => (
        <>
          <div class="hero">
            <Avatar id={nid} name={alias ?? ""} />
            <div>
              <Title text={alias ?? "Radicle node"} />
              <p class="note">
                <code title={nid}>{nid}</code> <Copy text={nid} name="node id" />
              </p>
            </div>
          </div>
          <Repositories projects={projects} />
          <Pager page={page} hasMore={projects.length === PER_PAGE} hrefOf={(page) => hashOf([], { page })} />
        </>
      )}
    </Loaded>
  );
}

/**
 * Stores ids of a repository that the visitor has seen. The API reference suggests these ids as values of
 * parameters.
 */
export function remember({ id, head }: Project): void {
  for (const name of ["project", "rid", "name"]) seen.set(name, id);
  for (const name of ["sha", "oid", "base"]) seen.set(name, head);
}

function Repositories({ projects }: { readonly projects: readonly Project[] }): JSX.Element {
  const { field, isWanted } = useFilter("filter", "Filter by name");
  const shown = projects.filter(({ name, description, id }) => isWanted(`${name}\n${description}\n${id}`));
  const hidden = projects.filter(({ visibility }) => visibility.type === "private").length;
  return (
    <section aria-labelledby="repositories">
      <div class="bar">
        <h2 id="repositories">Repositories</h2>
        <p class="note" role="status">
          {shown.length} of {projects.length} shown.
          {hidden > 0 && ` ${hidden} private: only the owner of the node sees them.`}
        </p>
        {field}
      </div>
      {projects.length === 0 && (
        <Empty>
          This node has no repositories yet. <code>rad init</code> and <code>rad clone</code> bring some.
        </Empty>
      )}
      <ul class="cards">
        {shown.map(({ id, name, description, issues, patches, visibility, seeding }) => (
          <li key={id}>
            <h3>
              <a href={inRepository(id)}>{name}</a>
              {visibility.type === "private" && <Badge kind="private">private</Badge>}
            </h3>
            {description !== "" && <p>{description}</p>}
            <p class="note">
              {counted(issues.open, "open issue")} · {counted(patches.open, "open patch", "open patches")} ·
              {" "}
              {counted(seeding, "seed")}
            </p>
            <p class="note">
              <code>{id}</code>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
