/**
 * Sends requests to the service when it starts, so that the first client does not wait until code is compiled
 * or a history is read.
 */
import type { Api, Client, WorkerPool } from "../../mod.ts";
import { Task } from "../../src/scheduling/task.ts";
import { normalizeBasePath } from "../../src/http/base_path.ts";

/** Maximum number of repositories that are requested. */
const WARMED_REPOSITORIES = 16;

/** Paths below a project that clients request first. */
const VIEWS = ["", "/remotes", "/issues", "/patches", "/activity"];
const VIEWS_OF_HEAD = [
  (head: string) => `/tree/${head}/`,
  (head: string) => `/readme/${head}`,
  (head: string) => `/commits?parent=${head}`,
];

/** Delay before the first request, in milliseconds, so that a first client does not wait for the warm-up. */
export const FIRST_CLIENT_MS = 50;

/** Maximum time that the warm-up waits for requests of clients before each request, in milliseconds. */
export const CLIENTS_FIRST_MS = 2000;

const OWNER: Client = { transport: "unix" };

/** Maximum length of a response that the warm-up reads, in bytes. */
const MAX_ANSWER_BYTES = 2 ** 20;

/**
 * Number of the newest commits of a project whose diffs are requested, because people usually open these
 * commits first.
 */
const WARMED_COMMITS = 300;
/** Number of commits in one request for diffs. */
const COMMITS_AT_ONCE = 10;
/** Maximum number of requests for a diff over {@link COMMITS_AT_ONCE} commits, for all projects together. */
export const WARMED_COMPARISONS = 10;
/** Timeout of all requests for diffs together, in milliseconds. */
export const HISTORY_LIMIT_MS = 3000;

/**
 * Requests the views of the first projects, one project after another, and then diffs of their newest
 * commits. Ends early when `signal` is aborted. Never rejects.
 *
 * @param workers Pool of workers that help to compute the diffs.
 */
export async function warmUp(
  api: Pick<Api, "fetch">,
  basePath: string,
  signal: AbortSignal,
  workers?: Pick<WorkerPool, "warmUp">,
): Promise<void> {
  const task = new Task("background");
  const root = `http://localhost${normalizeBasePath(basePath)}/api/v1`;
  await new Promise((resume) => setTimeout(resume, FIRST_CLIENT_MS));
  const projects = await ask(`/projects?show=pinned&perPage=${WARMED_REPOSITORIES}`);
  const others = await ask(`/projects?perPage=${WARMED_REPOSITORIES}`);
  const heads = new Map([...projects, ...others].map(({ id, head }) => [id, head]));
  const chosen = [...heads].slice(0, WARMED_REPOSITORIES);
  for (const [id, head] of chosen) {
    const paths = [...VIEWS, ...VIEWS_OF_HEAD.map((path) => path(head))];
    for (const path of paths) await ask(`/projects/${id}${path}`);
  }
  if (!signal.aborted) workers?.warmUp();
  if (!signal.aborted) await task.idle(CLIENTS_FIRST_MS);
  await makeDiffs();

  /**
   * Requests lists of commits with their diffs, and diffs over several commits. The projects take turns, so
   * that a slow project does not use up the time of other projects.
   */
  async function makeDiffs(): Promise<void> {
    const start = performance.now();
    const histories: { readonly project: string; readonly oids: readonly string[] }[] = [];
    for (const [id, head] of chosen) {
      const project = `/projects/${id}`;
      const list = await read(`${project}/commits?parent=${head}&perPage=${WARMED_COMMITS}&diff=none`);
      const { commits }: { commits: { commit: { id: string } }[] } = JSON.parse(list || `{"commits":[]}`);
      histories.push({ project, oids: commits.map(({ commit }) => commit.id) });
    }
    let comparisons = 0;
    for (let from = COMMITS_AT_ONCE; from < WARMED_COMMITS; from += COMMITS_AT_ONCE) {
      for (const { project, oids } of histories.filter(({ oids }) => from < oids.length)) {
        if (signal.aborted || performance.now() - start >= HISTORY_LIMIT_MS) return;
        const page = from / COMMITS_AT_ONCE - 1;
        await read(`${project}/commits?parent=${oids[0]}&perPage=${COMMITS_AT_ONCE}&page=${page}`);
        if (comparisons++ >= WARMED_COMPARISONS) continue;
        await read(`${project}/diff/${oids[from]}/${oids[from - COMMITS_AT_ONCE]}`);
      }
    }
  }

  async function ask(path: string): Promise<readonly { id: string; head: string }[]> {
    const text = await read(path);
    // Only lists of projects are parsed. The content of other responses is not needed.
    const answer: unknown = path.startsWith("/projects?") ? JSON.parse(text || "[]") : [];
    return Array.isArray(answer) ? answer : [];
  }

  async function read(path: string): Promise<string> {
    // Requests of clients run first.
    await task.idle(CLIENTS_FIRST_MS);
    if (signal.aborted) return "";
    const response = await api.fetch(new Request(root + path, { signal }), OWNER);
    return response.ok ? await readStart(response).catch(() => "") : "";
  }
}

/** Returns the text of a response; an empty text if the response is longer than {@link MAX_ANSWER_BYTES}. */
async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest of the body.
    if (bytes > MAX_ANSWER_BYTES) return "";
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
