/** The first view: the node and its repositories. */
import type { Client, Project } from "../client/mod.ts";
import { badge, type Child, code, copyButton, el, fill, link, loading } from "./dom.ts";
import { hasSearch, searchForm } from "./search_view.ts";
import { repositoryHash, type View, type ViewContext } from "./views.ts";

/** Repositories that are asked for at a time. */
const PER_PAGE = 50;

/** Shows the node and its repositories. */
export async function homeView(context: ViewContext): Promise<View> {
  const { visitor: { client }, seen } = context;
  const { nid, version } = await client.get("/api/v1");
  seen.set("nid", nid).set("did", `did:key:${nid}`).set("delegate", `did:key:${nid}`);
  const [alias, { state, agent }, canSearch] = await Promise.all([
    client.get("/api/v1/nodes/:nid", { nid }).then(({ alias }) => alias),
    client.get("/api/v1/node"),
    hasSearch(client),
  ]);
  return {
    title: alias ?? "Radicle node",
    content: [
      el(
        "dl",
        { class: "facts" },
        ...fact("Node id", code(nid), " ", copyButton(nid, "node id")),
        ...fact("Node", el("span", { class: `state ${state}` }, state), " ", agent),
        ...fact("Service", `Xylem ${version}`),
      ),
      ...(canSearch ? [searchForm(context)] : []),
      el("h2", { id: "repositories" }, "Repositories"),
      loading(repositoryList(client, seen)),
    ],
  };
}

/** A fact in a list of definitions. */
export function fact(name: string, ...content: readonly Child[]): readonly HTMLElement[] {
  return [el("dt", {}, name), el("dd", {}, ...content)];
}

async function repositoryList(client: Client, seen: Map<string, string>): Promise<readonly Node[]> {
  const pages = client.pages("/api/v1/projects", { show: "all", perPage: PER_PAGE });
  const shown: { readonly project: Project; readonly item: HTMLElement }[] = [];
  const list = el("ul", { class: "cards" });
  const note = el("p", { class: "note", role: "status" });
  const filter = el("input", { type: "search", id: "filter", autocomplete: "off", oninput: applyFilter });
  const more = el("button", { type: "button", onclick: () => void showMore() }, "Show more");

  function applyFilter(): void {
    const wanted = filter.value.trim().toLowerCase();
    let count = 0;
    for (const { project: { name, description, id }, item } of shown) {
      item.hidden = !`${name}\n${description}\n${id}`.toLowerCase().includes(wanted);
      if (!item.hidden) count++;
    }
    const hidden = shown.filter(({ project }) => project.visibility.type === "private").length;
    fill(
      note,
      shown.length === 0 ? "No repositories." : `${count} of ${shown.length} shown.`,
      hidden > 0 && ` ${hidden} private: only the owner of the node sees them.`,
    );
  }

  async function showMore(): Promise<void> {
    const { value, done } = await pages.next();
    for (const project of value ?? []) {
      if (!seen.has("project")) remember(seen, project);
      const item = card(project);
      shown.push({ project, item });
      list.append(item);
    }
    more.hidden = done === true || value.length < PER_PAGE;
    applyFilter();
  }

  await showMore();
  return [el("p", {}, el("label", { for: "filter" }, "Filter "), filter), note, list, more];
}

/** Notes the values of a repository for parameters of the reference. */
export function remember(seen: Map<string, string>, { id, head }: Project): void {
  for (const name of ["project", "rid", "name"]) seen.set(name, id);
  for (const name of ["sha", "oid", "base"]) seen.set(name, head);
}

function card(project: Project): HTMLElement {
  const { id, name, description, issues, patches, visibility, seeding } = project;
  return el(
    "li",
    {},
    el("h3", {}, link(repositoryHash(id), name), visibility.type === "private" && badge("private")),
    description !== "" && el("p", {}, description),
    el(
      "p",
      { class: "note" },
      counted(issues.open, "open issue"),
      " · ",
      counted(patches.open, "open patch", "es"),
      " · ",
      counted(seeding, "seed"),
    ),
    el("p", {}, code(id)),
  );
}

function counted(count: number, name: string, plural: string = "s"): string {
  return `${count} ${name}${count === 1 ? "" : plural}`;
}
