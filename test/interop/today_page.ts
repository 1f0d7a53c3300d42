/** The script of a small page for today's clients: it shows repositories and their issues, signs in, opens an issue and answers it. */
import { type Client, createClient } from "../../src/client/mod.ts";

/** What a test does with the page. All resolve when the page shows the result. */
export interface TodayPage {
  /** Shows the repositories of a service. */
  start(base: string): Promise<void>;
  /** Shows the open issues of the repository with that name. */
  choose(name: string): Promise<void>;
  /** Begins to sign in: the id of the session, to be signed. */
  openSession(): Promise<string>;
  /** Signs in. */
  authorize(id: string, proof: { readonly pk: string; readonly sig: string }): Promise<void>;
  /** Opens an issue in the chosen repository. */
  openIssue(title: string, description: string): Promise<void>;
  /** Comments on the newest issue of the chosen repository. */
  comment(body: string): Promise<void>;
}

let client: Client;
let base: string;
let rid: string;
let newest: string;

async function showIssues(): Promise<void> {
  const items: [title: string, comments: readonly string[]][] = [];
  for await (const issue of client.items("/api/v1/repos/:rid/issues", { rid, perPage: 2 })) {
    if (items.length === 0) newest = issue.id;
    items.push([issue.title, issue.discussion.map(({ body }) => body)]);
  }
  show(items.map(([title, comments]) => `${title}: ${comments.join(" | ")}`), "article");
}

function show(texts: readonly string[], element: string): void {
  document.body.replaceChildren(...texts.map((text) => {
    const shown = document.createElement(element);
    shown.textContent = text;
    return shown;
  }));
}

const page: TodayPage = {
  async start(address) {
    base = address;
    client = createClient(base);
    const names: string[] = [];
    for await (const { rid, payloads } of client.items("/api/v1/repos", { show: "all" })) {
      const project = payloads["xyz.radicle.project"]?.data as { readonly name: string } | undefined;
      names.push(project?.name ?? rid);
    }
    show(names, "button");
  },
  async choose(name) {
    const [found] = await client.get("/api/v1/repos/search", { q: name });
    rid = found!.rid;
    await showIssues();
  },
  async openSession() {
    const session = await client.post("/api/v1/sessions");
    return "sessionId" in session ? session.sessionId : session.id;
  },
  async authorize(id, proof) {
    await client.put("/api/v1/sessions/:id", { id }, proof);
    client = createClient(base, { token: id });
  },
  async openIssue(title, description) {
    const issue = { title, description, labels: [], assignees: [], embeds: [] };
    await client.post("/api/v1/repos/:rid/issues", { rid }, issue);
    await showIssues();
  },
  async comment(body) {
    const action = { type: "comment", body, replyTo: newest } as const;
    await client.patch("/api/v1/repos/:rid/issues/:id", { rid, id: newest }, action);
    await showIssues();
  },
};
Object.assign(globalThis, { page });
