/**
 * The warm-up of a service: it asks itself, so that the first client waits neither for the compiler nor for a
 * history to be read.
 */
import type { Api, Client } from "../../mod.ts";
import { requestsUnderWay } from "../../src/async/requests_under_way.ts";
import { normalizeBasePath } from "../../src/http/base_path.ts";
import { warmUpCompiler } from "../../src/diff_service/warm_up.ts";

/** Repositories that are looked at. */
export const WARMED_REPOSITORIES = 16;

/** Views of a project that clients ask for first. */
const VIEWS = ["", "/remotes", "/issues", "/patches", "/activity"];
const VIEWS_OF_HEAD = [
  (head: string) => `/tree/${head}/`,
  (head: string) => `/readme/${head}`,
  (head: string) => `/commits?parent=${head}`,
];

const OWNER: Client = { transport: "unix" };

/** Most bytes that the warm-up reads of an answer. */
const MAX_ANSWER_BYTES = 2 ** 20;

/**
 * Asks for the first projects, one request after the other, and compares generated files, until `signal` is
 * aborted. Never rejects.
 */
export async function warmUp(
  api: Pick<Api, "fetch">,
  basePath: string,
  signal: AbortSignal,
): Promise<void> {
  const root = `http://localhost${normalizeBasePath(basePath)}/api/v1`;
  const projects = await ask(`/projects?show=pinned&perPage=${WARMED_REPOSITORIES}`);
  const others = await ask(`/projects?perPage=${WARMED_REPOSITORIES}`);
  const chosen = new Map([...projects, ...others].map(({ id, head }) => [id, head]));
  for (const [id, head] of [...chosen].slice(0, WARMED_REPOSITORIES)) {
    const paths = [...VIEWS, ...VIEWS_OF_HEAD.map((path) => path(head))];
    for (const path of paths) await ask(`/projects/${id}${path}`);
  }
  await warmUpCompiler(() => signal.aborted);

  async function ask(path: string): Promise<readonly { id: string; head: string }[]> {
    // Real requests come first.
    await new Promise((resume) => setTimeout(resume, 0));
    await requestsUnderWay.giveWay();
    if (signal.aborted) return [];
    const response = await api.fetch(new Request(root + path, { signal }), OWNER);
    const text = await readStart(response).catch(() => "");
    // Only lists of projects are short, and wanted.
    const answer: unknown = path.startsWith("/projects?") ? JSON.parse(text || "[]") : [];
    return Array.isArray(answer) ? answer : [];
  }
}

/** The text of an answer; nothing of one that is too long to be read. */
async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop gives up the rest.
    if (bytes > MAX_ANSWER_BYTES) return "";
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
