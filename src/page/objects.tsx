/** The parts that issues and patches have in common: lists with filters, labels and assignees. */
import type { ComponentChildren, JSX } from "preact";
import type { Author, Did } from "../client/mod.ts";
import { useAnswer } from "./answers.ts";
import { go, visitor } from "./app.ts";
import { People } from "./discussion.tsx";
import { Badge, Empty, Labels, Pager, Person, shownNode, Time } from "./parts.tsx";
import { inRepository, type Query } from "./places.ts";
import { LineEditor, listOf } from "./writing.tsx";

/** Issues or patches. */
export type ObjectKind = "issues" | "patches";

/** Node id of the service's node: who has signed in acts in its name. */
export function useNode(): string | undefined {
  const { value } = useAnswer("node id", (options) => visitor.client.get("/api/v1", {}, options));
  return value?.nid;
}

/** The states, and filters by words, labels and people. */
export function Filters(
  { rid, kind, query, state, states }: {
    readonly rid: string;
    readonly kind: ObjectKind;
    readonly query: Query;
    readonly state: string;
    readonly states: readonly (readonly [state: string, count: number])[];
  },
): JSX.Element {
  const { q, label, author, assignee } = query;
  const apply = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const value = (name: string) => String(form.get(name) ?? "").trim();
    const chosen = {
      q: value("q"),
      label: value("label"),
      author: value("author"),
      assignee: value("assignee"),
    };
    go(inRepository(rid, [kind], { state, ...chosen }));
  };
  return (
    <div class="filters">
      <nav class="states" aria-label="States">
        {states.map(([name, count]) => (
          <a
            key={name}
            href={inRepository(rid, [kind], { ...query, state: name, page: undefined })}
            aria-current={name === state ? "page" : undefined}
          >
            {name} <span class="count">{count}</span>
          </a>
        ))}
      </nav>
      <form onSubmit={apply} key={JSON.stringify(query)}>
        <input type="search" name="q" aria-label="Part of the title" placeholder="Title" defaultValue={q} />
        <input name="label" aria-label="Label" placeholder="Label" defaultValue={label} autocomplete="off" />
        <input
          name="author"
          aria-label="Author, by node id"
          placeholder="Author (node id)"
          defaultValue={author}
          autocomplete="off"
        />
        <input
          name="assignee"
          aria-label="Assignee, by node id"
          placeholder="Assignee (node id)"
          defaultValue={assignee}
          autocomplete="off"
        />
        <button type="submit" class="quiet">Filter</button>
        {(q || label || author || assignee) && <a href={inRepository(rid, [kind], { state })}>Clear</a>}
      </form>
    </div>
  );
}

/** An issue or a patch in a list. */
export interface Listed {
  readonly id: string;
  readonly title: string;
  readonly author: Author;
  readonly labels: readonly string[];
  readonly status: string;
  readonly timestamp: number;
  readonly remark: string;
}

/** A page of issues or patches. */
export function ObjectList(
  { rid, kind, query, page, perPage, objects }: {
    readonly rid: string;
    readonly kind: ObjectKind;
    readonly query: Query;
    readonly page: number;
    readonly perPage: number;
    readonly objects: readonly Listed[];
  },
): JSX.Element {
  return (
    <>
      {objects.length === 0
        ? <Empty>No {kind} {page > 0 ? "beyond this page" : "here"}.</Empty>
        : (
          <ul class="box rows">
            {objects.map(({ id, title, author, labels, status, timestamp, remark }) => (
              <li key={id}>
                <Badge kind={status}>{status}</Badge>
                <div class="grow">
                  <a class="subject" href={inRepository(rid, [kind, id])}>{title || "(no title)"}</a>{" "}
                  <Labels labels={labels} />
                  <p class="note">
                    <code title={id}>{id.slice(0, 7)}</code> by{" "}
                    <a
                      class="plain-link"
                      href={inRepository(rid, [kind], {
                        ...query,
                        author: author.id.replace("did:key:", ""),
                        page: undefined,
                      })}
                    >
                      <Person author={author} />
                    </a>
                    {" · "}
                    <Time at={timestamp} /> · {remark}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        )}
      <Pager
        page={page}
        hasMore={objects.length === perPage}
        hrefOf={(page) => inRepository(rid, [kind], { ...query, page: page === 0 ? undefined : `${page}` })}
      />
    </>
  );
}

/** The properties that stand beside a discussion. */
export function LabelsAndAssignees(
  { rid, kind, id, labels, assignees, onLabels, onAssignees, children }: {
    readonly rid: string;
    readonly kind: ObjectKind;
    readonly id: string;
    readonly labels: readonly string[];
    readonly assignees: readonly Did[];
    readonly onLabels: (labels: readonly string[]) => Promise<unknown>;
    readonly onAssignees: (assignees: readonly string[]) => Promise<unknown>;
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const { value: names } = useAnswer(`people ${rid}`, async (options) => {
    const remotes = await visitor.client.get("/api/v1/projects/:project/remotes", { project: rid }, options);
    return new Map(remotes.map(({ id, alias }) => [`did:key:${id}`, alias]));
  });
  const people = assignees.map((id): Author => {
    const alias = names?.get(id);
    return alias === undefined ? { id } : { id, alias };
  });
  const idOf = (person: string) => {
    const known = [...names ?? []].find(([, alias]) => alias === person)?.[0] ?? person;
    return known.startsWith("did:key:") ? known : `did:key:${known}`;
  };
  const linked = (name: string, hash: string) => (
    <a class="plain-link" key={name} href={hash}>
      <Labels labels={[name]} />
    </a>
  );
  return (
    <aside class="side" aria-label="Properties">
      {children}
      <section>
        <h2>Labels</h2>
        <LineEditor
          label="the labels, with commas"
          value={labels.join(", ")}
          onSubmit={(text) => onLabels(listOf(text))}
        >
          {labels.length === 0
            ? <span class="note">None</span>
            : labels.map((label) => linked(label, inRepository(rid, [kind], { label })))}
        </LineEditor>
      </section>
      <section>
        <h2>Assignees</h2>
        <LineEditor
          label="the assignees: names or node ids, with commas"
          value={people.map(({ id, alias }) => alias ?? id).join(", ")}
          onSubmit={(text) => onAssignees(listOf(text).map(idOf))}
        >
          {people.length === 0 ? <span class="note">Nobody</span> : <People people={people} />}
        </LineEditor>
      </section>
      <section>
        <h2>Id</h2>
        <code title={id}>{shownNode(id)}</code>
      </section>
    </aside>
  );
}
