/**
 * The warm-up of a service. The service sends requests to itself, so that the first client does not wait for
 * code to be compiled or for a history to be read.
 */
import type { Api, Client, WorkerPool } from "../../mod.ts";
import { Task } from "../../src/scheduling/task.ts";
import { normalizeBasePath } from "../../src/http/base_path.ts";

/** Number of repositories that the warm-up requests. */
const WARMED_REPOSITORIES = 16;

/** Paths of a project that clients request first. */
const VIEWS = ["", "/remotes", "/issues", "/patches", "/activity"];
const VIEWS_OF_HEAD = [
  (head: string) => `/tree/${head}/`,
  (head: string) => `/readme/${head}`,
  (head: string) => `/commits?parent=${head}`,
];

/** Time after the start in which a first client may send a request before the warm-up, in milliseconds. */
export const FIRST_CLIENT_MS = 50;

/** Longest time that one request of the warm-up waits for requests of clients, in milliseconds. */
export const CLIENTS_FIRST_MS = 2000;

const OWNER: Client = { transport: "unix" };

/** Most bytes that the warm-up reads of an answer. */
const MAX_ANSWER_BYTES = 2 ** 20;

/** Number of newest commits of a project for which diffs are made: people open these first. */
const WARMED_COMMITS = 300;
/** Number of commits whose diffs are requested together. */
const COMMITS_AT_ONCE = 10;
/**
 * Number of groups of {@link COMMITS_AT_ONCE} commits, of all projects together, for which one diff over the
 * whole group is requested, too.
 */
export const WARMED_COMPARISONS = 10;
/**
 * Time for the diffs of commits, in milliseconds: the warm-up requests no more of them afterwards. These
 * requests also make the runtime compile the code with the types that it has seen.
 */
export const HISTORY_LIMIT_MS = 3000;

/**
 * Requests the first projects one after the other, and diffs of the newest commits, until `signal` is
 * aborted. Never rejects.
 *
 * @param workers Help with the diffs of the commits.
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
   * Requests pages of the histories, and diffs over them. Projects take turns, so that a slow project does
   * not use the time of others.
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
    // Only lists of projects are short and needed.
    const answer: unknown = path.startsWith("/projects?") ? JSON.parse(text || "[]") : [];
    return Array.isArray(answer) ? answer : [];
  }

  async function read(path: string): Promise<string> {
    // Requests of clients come first.
    await task.idle(CLIENTS_FIRST_MS);
    if (signal.aborted) return "";
    const response = await api.fetch(new Request(root + path, { signal }), OWNER);
    return response.ok ? await readStart(response).catch(() => "") : "";
  }
}

/** Returns the text of an answer; an empty text if the answer is too long. */
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
