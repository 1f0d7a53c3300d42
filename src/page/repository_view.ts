/** The view of a repository: its facts, a folder, the readme, recent commits, open issues and patches. */
import type { Author, Client, Comment, Project, TreeEntry } from "../client/mod.ts";
import { badge, code, copyButton, el, link, loading, time } from "./dom.ts";
import { fact, remember } from "./home_view.ts";
import { repositoryHash, type View, type ViewContext } from "./views.ts";

/** Items of each list. */
const PER_PAGE = 10;
/** Hexadecimal digits of an abbreviated id. */
const SHORT_ID = 7;

/** Shows a repository, and of its files the folder `path`. */
export async function repositoryView(context: ViewContext, rid: string, path: string): Promise<View> {
  const { visitor: { client, base }, seen } = context;
  const [project, { links }] = await Promise.all([
    client.get("/api/v1/projects/:project", { project: rid }),
    client.get("/api/v1"),
  ]);
  remember(seen, project);
  const { id, name, description, visibility, defaultBranch, head, delegates } = project;
  const clone = `git clone ${base}/${id}.git ${name}`;
  // Commits without their diffs are a route of the other dialect.
  const hasShortCommits = links.some(({ href }) => href === "/repos/:rid");
  return {
    title: name,
    content: [
      el(
        "p",
        {},
        description,
        visibility.type === "private" && badge("private"),
      ),
      el(
        "dl",
        { class: "facts" },
        ...fact("Repository id", code(id), " ", copyButton(id, "repository id")),
        ...fact("Default branch", defaultBranch, " at ", short(head)),
        ...fact(
          "Delegates",
          el("ul", { class: "plain" }, ...delegates.map((did) => el("li", {}, code(did)))),
        ),
        ...fact("Clone", code(clone), " ", copyButton(clone, "command")),
        ...fact("As JSON", link(`${base}/api/v1/projects/${id}`, `api/v1/projects/${id}`)),
      ),
      section("Files", files(context, project, path)),
      section("Recent commits", commits(client, project, hasShortCommits)),
      section("Open issues", issues(client, base, id, seen)),
      section("Open patches", patches(client, base, id)),
    ],
  };
}

function section(title: string, content: Promise<readonly Node[]>): HTMLElement {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), loading(content));
}

/** A folder, and the readme of the root. */
async function files(
  { visitor: { client, base } }: ViewContext,
  { id: project, head: sha }: Project,
  path: string,
): Promise<readonly Node[]> {
  const { entries } = path === ""
    ? await client.get("/api/v1/projects/:project/tree/:sha/", { project, sha })
    : await client.get("/api/v1/projects/:project/tree/:sha/*path", { project, sha, path });
  const parts = path === "" ? [] : path.split("/");
  const trail = el(
    "nav",
    { "aria-label": "Folders", class: "trail" },
    link(repositoryHash(project), "root"),
    ...parts.flatMap((part, i) => [
      " / ",
      link(repositoryHash(project, parts.slice(0, i + 1).join("/")), part),
    ]),
  );
  const list = el("ul", { class: "files" }, ...entries.map((entry) => el("li", {}, entryOf(entry))));
  // A readme that does not exist would be an error in the browser's console.
  const hasReadme = path === "" && entries.some(({ name, kind }) => kind === "blob" && /^readme/i.test(name));
  return hasReadme ? [trail, list, loading(readme(client, project, sha))] : [trail, list];

  function entryOf({ name, path, kind }: TreeEntry): Node | string {
    if (kind === "tree") return link(repositoryHash(project, path), `${name}/`);
    if (kind === "submodule") return `${name} (submodule)`;
    const encoded = path.split("/").map((part) => encodeURIComponent(part)).join("/");
    const href = `${base}/raw/${project}/${sha}/${encoded}`;
    return el("a", { href, target: "_blank", rel: "noopener noreferrer" }, name);
  }
}

async function readme(client: Client, project: string, sha: string): Promise<Node> {
  const { name, content, binary } = await client.get("/api/v1/projects/:project/readme/:sha", {
    project,
    sha,
  });
  return el(
    "section",
    { "aria-labelledby": "readme" },
    el("h3", { id: "readme" }, name),
    textBlock(binary ? "The readme is no text." : content, name),
  );
}

async function commits(
  client: Client,
  { id, head }: Project,
  hasShortCommits: boolean,
): Promise<readonly Node[]> {
  const page = { perPage: PER_PAGE, parent: head };
  const found = hasShortCommits
    ? await client.get("/api/v1/repos/:rid/commits", { rid: id, ...page })
    : (await client.get("/api/v1/projects/:project/commits", { project: id, ...page })).commits
      .map(({ commit }) => commit);
  return [
    el(
      "ul",
      { class: "rows" },
      ...found.map(({ id, summary, author, committer }) =>
        el(
          "li",
          {},
          short(id),
          " ",
          summary,
          el("p", { class: "note" }, author.name, " · ", time(committer.time)),
        )
      ),
    ),
  ];
}

async function issues(
  client: Client,
  base: string,
  project: string,
  seen: Map<string, string>,
): Promise<readonly Node[]> {
  const found = await client.get("/api/v1/projects/:project/issues", {
    project,
    state: "open",
    perPage: PER_PAGE,
  });
  if (found[0] !== undefined) seen.set("id", found[0].id);
  return rows(found.map(({ id, title, author, labels, discussion }) => ({
    title,
    labels,
    author,
    href: `${base}/api/v1/projects/${project}/issues/${id}`,
    comments: discussion,
  })));
}

async function patches(client: Client, base: string, project: string): Promise<readonly Node[]> {
  const found = await client.get("/api/v1/projects/:project/patches", {
    project,
    state: "open",
    perPage: PER_PAGE,
  });
  return rows(found.map(({ id, title, author, labels, revisions }) => ({
    title,
    labels,
    author,
    href: `${base}/api/v1/projects/${project}/patches/${id}`,
    comments: revisions.flatMap(({ author, description, timestamp, discussions }) => [
      { author, body: description, timestamp },
      ...discussions,
    ]),
  })));
}

/** An issue or a patch in a list. */
interface Row {
  readonly title: string;
  readonly labels: readonly string[];
  readonly author: Author;
  /** Its address in the API. */
  readonly href: string;
  readonly comments: readonly Pick<Comment, "author" | "body" | "timestamp">[];
}

function rows(found: readonly Row[]): readonly Node[] {
  if (found.length === 0) return [el("p", { class: "note" }, "None.")];
  return found.map(({ title, labels, author, href, comments }) =>
    el(
      "details",
      {},
      el(
        "summary",
        {},
        title,
        " ",
        ...labels.map(badge),
        el("span", { class: "note" }, ` by ${nameOf(author)}, ${comments.length} in discussion`),
      ),
      ...comments.map(({ author, body, timestamp }) =>
        el(
          "article",
          {},
          el("p", { class: "note" }, nameOf(author), " · ", time(timestamp)),
          textBlock(body, `Comment by ${nameOf(author)}`),
        )
      ),
      el("p", {}, link(href, "As JSON")),
    )
  );
}

/** A text with its own lines: it scrolls, also by keys. */
function textBlock(text: string, name: string): HTMLElement {
  return el("pre", { class: "text", tabindex: "0", role: "region", "aria-label": name }, text);
}

function nameOf({ id, alias }: Author): string {
  return alias ?? id.replace("did:key:", "");
}

function short(oid: string): HTMLElement {
  return el("code", { title: oid }, oid.slice(0, SHORT_ID));
}
