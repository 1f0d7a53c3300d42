/**
 * Views for both issues and patches: lists with filters, and a single object with its properties and states.
 */
import type { ComponentChildren, ComponentType, JSX } from "preact";
import {
  ClientError,
  type Did,
  type Issue,
  type IssueAction,
  type Patch,
  type PatchAction,
} from "../../../src/client/mod.ts";
import { type Answer, useFreshness, useGet } from "./answers.ts";
import { go, maySign, visitor } from "./app.ts";
import { pageNumber, Pager, Rows } from "./lists.tsx";
import {
  Badge,
  counted,
  currentIf,
  Loaded,
  Person,
  Section,
  shownNode,
  Time,
  Title,
  useRepository,
} from "./parts.tsx";
import { inRepository, type Query, shortOid, type ViewProps } from "./places.ts";
import { Editor, Field, Form, LineEditor, listOf, SignedIn, type Written } from "./writing.tsx";

/** Number of objects on a page. */
const PER_PAGE = 25;

export type ObjectKind = "issues" | "patches";
export type ObjectAction = IssueAction | PatchAction;
/** Sends a change of an object to the service, and loads the object again. */
export type Change = (action: ObjectAction) => Promise<void>;

const WORDS = {
  issues: { title: "Issues", one: "issue" },
  patches: { title: "Patches", one: "patch" },
};

/** Labels of the filters of lists, by query parameter. */
const FILTERS = {
  q: "Part of the title",
  label: "Label",
  author: "Author (node id)",
  assignee: "Assignee (node id)",
};

/** Possible next states of an object with the labels of their buttons, by kind and current state. */
const NEXT_STATES: Readonly<Record<string, readonly (readonly [words: string, state: object])[]>> = {
  "issues open": [
    ["Close as solved", { status: "closed", reason: "solved" }],
    ["Close for another reason", { status: "closed", reason: "other" }],
  ],
  "issues closed": [["Open again", { status: "open" }]],
  "patches open": [["Make it a draft", { status: "draft" }], ["Archive", { status: "archived" }]],
  "patches draft": [["Ready for review", { status: "open" }], ["Archive", { status: "archived" }]],
  "patches archived": [["Open again", { status: "open" }]],
};

function ObjectList(
  { kind, query }: { readonly kind: ObjectKind; readonly query: Query },
): JSX.Element {
  const { rid, project: { [kind]: states } } = useRepository();
  const { q, label, author, assignee } = query;
  const all = Object.values(states).reduce((sum, count) => sum + count, 0);
  const counts = { ...states, all };
  const state = Object.hasOwn(counts, query["state"] ?? "") ? query["state"] : "open";
  const page = pageNumber(query["page"]);
  const answer: Answer<readonly (Issue | Patch)[]> = useGet(
    `/api/v1/projects/:project/${kind}`,
    { project: rid, state: state as "open", q, label, author, assignee, page, perPage: PER_PAGE },
  );
  useFreshness(answer.reload, rid);
  const to = (changed: Query) => inRepository(rid, [kind], { ...query, page: undefined, ...changed });
  return (
    <>
      <div class="bar">
        <Title text={WORDS[kind].title} />
        <a class="button push" href={inRepository(rid, [kind, "new"])}>New {WORDS[kind].one}</a>
      </div>
      <div class="filters">
        <nav class="states" aria-label="States">
          {Object.entries(counts).map(([name, count]) => (
            <a key={name} href={to({ state: name })} aria-current={currentIf(name === state)}>
              {name} <span class="count">{count}</span>
            </a>
          ))}
        </nav>
        <Form kind="filter" action="Filter" isQuiet onSend={(fields) => go(to(fields))} key={to({})}>
          {Object.entries(FILTERS).map(([name, words]) => (
            <input
              key={name}
              name={name}
              aria-label={words}
              placeholder={words}
              defaultValue={query[name]}
              autocomplete="off"
            />
          ))}
          {(q || label || author || assignee) && <a href={inRepository(rid, [kind], { state })}>Clear</a>}
        </Form>
      </div>
      <Loaded answer={answer}>
        {(objects) => (
          <>
            <Rows items={objects} empty={`No ${kind} ${page > 0 ? "beyond this page" : "here"}.`}>
              {(object) => {
                const { id, title, author, labels, state: { status } } = object;
                const { since, remark } = factsOf(object);
                return (
                  <li key={id}>
                    <Badge kind={status}>{status}</Badge>
                    <div class="grow">
                      <a class="subject" href={inRepository(rid, [kind, id])}>{title || "(no title)"}</a>{" "}
                      {labels.map((label) => <Badge kind="label" key={label}>{label}</Badge>)}
                      <p class="note">
                        <code title={id}>{shortOid(id)}</code> by{" "}
                        <a class="plain-link" href={to({ author: author.id.replace("did:key:", "") })}>
                          <Person author={author} />
                        </a>
                        {" · "}
                        <Time at={since} /> · {remark}
                      </p>
                    </div>
                  </li>
                );
              }}
            </Rows>
            <Pager page={page} hasMore={objects.length === PER_PAGE} hrefOf={(page) => to({ page })} />
          </>
        )}
      </Loaded>
    </>
  );
}

/**
 * Returns the time at which an object was opened, in seconds since the Unix epoch, and a text with the number
 * of its comments or revisions.
 */
function factsOf(object: Issue | Patch): { readonly since: number; readonly remark: string } {
  const isIssue = "discussion" in object;
  const texts = isIssue ? object.discussion : object.revisions;
  return {
    since: texts[0]?.timestamp ?? 0,
    remark: isIssue ? counted(Math.max(0, texts.length - 1), "comment") : counted(texts.length, "revision"),
  };
}

export interface ObjectProps<Shown> {
  readonly object: Shown;
  readonly query: Query;
  readonly change: Change;
}

/**
 * Makes the views of issues or patches: the list, a single object, and the form for a new object.
 *
 * @param One Draws a single issue or patch.
 * @param New Draws the form for a new issue or patch.
 */
export function objectViews<Kind extends ObjectKind>(
  kind: Kind,
  One: ComponentType<ObjectProps<Kind extends "issues" ? Issue : Patch>>,
  New: ComponentType<{ readonly query: Query }>,
): ComponentType<ViewProps> {
  return function Objects({ place: { parts: [, id], query } }: ViewProps): JSX.Element {
    if (id === undefined) return <ObjectList kind={kind} query={query} />;
    return id === "new" ? <New query={query} /> : <Changing id={id} query={query} />;
  };

  /** Draws an issue or patch with functions to change the object. */
  function Changing({ id, query }: { readonly id: string; readonly query: Query }): JSX.Element {
    const { rid, reload } = useRepository();
    const path = `/api/v1/projects/:project/${kind}/:id` as "/api/v1/projects/:project/issues/:id";
    const answer = useGet(path, { project: rid, id });
    useFreshness(answer.reload, rid);
    const change = async (action: ObjectAction) => {
      try {
        await visitor.client.patch(path, { project: rid, id }, action as IssueAction);
        if (action.type === "lifecycle") reload();
        answer.reload();
      } catch (error) {
        // The service reports a conflict if the object has changed in the meantime. The new state explains
        // the conflict to the visitor.
        if (error instanceof ClientError && error.code === "conflict") answer.reload();
        throw error;
      }
    };
    return (
      <Loaded answer={answer as unknown as Answer<never>} isView>
        {(object) => <One object={object} query={query} change={change} />}
      </Loaded>
    );
  }
}

/** Draws the title, the state and the properties of an issue or a patch around its discussion. */
export function ObjectFrame(
  { kind, object, change, remark, side, children }: {
    readonly kind: ObjectKind;
    readonly object: Issue | Patch;
    readonly change: Change;
    readonly remark?: ComponentChildren;
    readonly side?: ComponentChildren;
    readonly children: ComponentChildren;
  },
): JSX.Element {
  const { rid } = useRepository();
  const { id, title, author, state, labels, assignees } = object;
  const target = "target" in object ? { target: object.target } : {};
  const next = NEXT_STATES[`${kind} ${state.status}`] ?? [];
  return (
    <>
      <div class="object-head">
        <LineEditor
          label="the title"
          value={title}
          onSend={(title) => change({ type: "edit", title, ...target } as ObjectAction)}
        >
          <Title text={title || "(no title)"} />
        </LineEditor>
        <p class="note">
          <Badge kind={state.status}>{state.status}{"reason" in state && `: ${state.reason}`}</Badge>{" "}
          opened by <Person author={author} /> · {factsOf(object).remark} {remark}
        </p>
      </div>
      <div class="with-side">
        <div>
          {children}
          {maySign() && (
            <div class="bar next">
              {next.map(([words, state]) => (
                <Form
                  key={words}
                  action={words}
                  isQuiet
                  onSend={() => change({ type: "lifecycle", state } as ObjectAction)}
                />
              ))}
            </div>
          )}
        </div>
        <aside class="side" aria-label="Properties">
          {side}
          <Section title="Labels">
            <LineEditor
              label="the labels, separated by commas"
              value={labels.join(", ")}
              onSend={(text) => change({ type: "label", labels: listOf(text) })}
            >
              {labels.length === 0 && <span class="note">None</span>}
              {labels.map((label) => (
                <a class="plain-link" key={label} href={inRepository(rid, [kind], { label })}>
                  <Badge kind="label">{label}</Badge>
                </a>
              ))}
            </LineEditor>
          </Section>
          <Section title="Assignees">
            <Assignees ids={assignees} change={change} />
          </Section>
          <Section title="Id">
            <code title={id}>{shownNode(id)}</code>
          </Section>
        </aside>
      </div>
    </>
  );
}

function Assignees({ ids, change }: { readonly ids: readonly Did[]; readonly change: Change }): JSX.Element {
  const { rid } = useRepository();
  const { value: remotes = [] } = useGet("/api/v1/projects/:project/remotes", { project: rid });
  const people = ids.map((id) => {
    const alias = remotes.find((remote) => id.endsWith(remote.id))?.alias;
    return alias === undefined ? { id } : { id, alias };
  });
  const didOf = (person: string) => {
    const named = remotes.find(({ alias }) => alias === person)?.id ?? person;
    return named.startsWith("did:key:") ? named : `did:key:${named}`;
  };
  return (
    <LineEditor
      label="the assignees: names or node ids, separated by commas"
      value={people.map(({ id, alias }) => alias ?? id).join(", ")}
      onSend={(text) => change({ type: "assign", assignees: listOf(text).map(didOf) })}
    >
      {people.length === 0 && <span class="note">Nobody</span>}
      {people.map((author) => (
        <span class="chip" key={author.id}>
          <Person author={author} />
        </span>
      ))}
    </LineEditor>
  );
}

export function NewObject(
  { kind, open, children, ...others }: {
    readonly kind: ObjectKind;
    /** Creates the object, and returns its id. */
    readonly open: (title: string, written: Written) => Promise<{ readonly id: string }>;
    readonly isSummary?: boolean;
    readonly children: ComponentChildren;
  },
): JSX.Element {
  const { rid, reload } = useRepository();
  const { one } = WORDS[kind];
  const send = async (written: Written) => {
    const { title = "" } = written.fields;
    if (title === "") throw new Error("The title is empty.");
    const { id } = await open(title, written);
    reload();
    go(inRepository(rid, [kind, id]));
  };
  return (
    <>
      <Title text={`New ${one}`} />
      <SignedIn to={`open a new ${one}`}>
        <Editor label="Description" action={`Open the ${one}`} onSend={send} {...others}>
          <Field label="Title" name="title" required />
          {children}
        </Editor>
      </SignedIn>
    </>
  );
}
