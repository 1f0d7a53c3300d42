/** The view of a search in all repositories, issues and patches. */
import type { Client } from "../client/mod.ts";
import { badge, type Child, el, link, loading } from "./dom.ts";
import { repositoryHash, searchHash, type View, type ViewContext } from "./views.ts";

/** Results that are asked for. */
const PER_PAGE = 50;
/** Most characters that the service takes. */
const MAX_WORDS_LENGTH = 256;

/** Shows what words find. */
export function searchView(context: ViewContext, words: string): View {
  const { client } = context.visitor;
  return {
    title: "Search",
    content: [searchForm(context, words), words.trim() === "" ? "" : loading(results(client, words))],
  };
}

/** The form in which visitors search. */
export function searchForm({ go }: ViewContext, words: string = ""): HTMLElement {
  const field = el("input", { type: "search", id: "words", value: words, maxlength: `${MAX_WORDS_LENGTH}` });
  return el(
    "form",
    {
      role: "search",
      onsubmit: (event) => {
        event.preventDefault();
        go(searchHash(field.value));
      },
    },
    el("label", { for: "words" }, "Search repositories, issues and patches "),
    field,
    " ",
    el("button", { type: "submit" }, "Search"),
  );
}

/** Whether a service searches; no requests that fail, which browsers log as errors. */
export async function hasSearch(client: Client): Promise<boolean> {
  const { links } = await client.get("/api/v1");
  if (!links.some(({ href }) => href === "/info")) return false;
  return (await client.get("/api/v1/info")).httpd.searchAvailable;
}

async function results(client: Client, words: string): Promise<readonly Child[]> {
  const found = await client.get("/api/v1/search", { q: words, perPage: PER_PAGE });
  return [
    el(
      "p",
      { class: "note", role: "status" },
      found.length === 0 ? "Nothing found." : `${found.length} found.`,
    ),
    el(
      "ul",
      { class: "cards" },
      ...found.map(({ type, rid, name, title, status, excerpt }) =>
        el(
          "li",
          {},
          el("h2", {}, link(repositoryHash(rid), title), badge(type), status !== undefined && badge(status)),
          type !== "repository" && el("p", { class: "note" }, `in ${name}`),
          el("p", {}, excerpt),
        )
      ),
    ),
  ];
}
