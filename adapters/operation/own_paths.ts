/**
 * Responds to requests for paths that are not part of the API: health checks, `/robots.txt`, and the icon
 * that browsers request.
 */
import type { Answer } from "../../mod.ts";
import { bytesAnswer, errorAnswer, textAnswer } from "../../src/http/respond.ts";
import { withoutBody } from "../../src/http/answer.ts";
import type { Unreadiness } from "../server/operator.ts";

/**
 * Default text of `/robots.txt`. It asks crawlers not to visit diffs, raw files, archives, clones and
 * searches, and to visit folders and files only of the newest commit.
 */
export const ROBOTS = `User-agent: *
Allow: /api/v1/*/tree/HEAD/
Allow: /api/v1/*/readme/HEAD
Disallow: /raw/
Disallow: /*/info/refs
Disallow: /api/v1/search
Disallow: /api/v1/repos/search
Disallow: /api/v1/*/commits
Disallow: /api/v1/*/diff/
Disallow: /api/v1/*/tree/
Disallow: /api/v1/*/blob/
Disallow: /api/v1/*/readme/
Disallow: /api/v1/*/stats/
`;

/** The icon of the page, as an SVG picture. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">` +
  `<path d="M8 15V7M8 9C3 9 2 5 2 2c4 0 6 3 6 7M8 7c4 0 6-2 6-5-4 0-6 2-6 5" fill="none" stroke="#278a46" ` +
  `stroke-width="2"/></svg>\n`;

export interface OwnPathsOptions {
  /** Text of `/robots.txt`, which replaces {@link ROBOTS}. */
  readonly robots?: string | undefined;
  /**
   * Returns the reason why the service is not ready; `undefined` when the service is ready. Never rejects.
   */
  unreadiness(): Promise<Unreadiness | undefined>;
}

type AnswerPath = (options: OwnPathsOptions) => Answer | Promise<Answer>;

/** Header field of constant responses, which browsers may store for one day. */
const A_DAY = { "cache-control": "public, max-age=86400" };
const NO_STORE = { "cache-control": "no-store" };

const encoder = new TextEncoder();

/** Checks whether a path is a health check. Health checks are frequent, so logs leave them out. */
export function isOfHealth(path: string): boolean {
  return path === "/livez" || path === "/readyz";
}

const PATHS: ReadonlyMap<string, AnswerPath> = new Map<string, AnswerPath>([
  ["/livez", () => textAnswer("alive\n", NO_STORE)],
  ["/readyz", async ({ unreadiness }) => {
    const reason = await unreadiness();
    return textAnswer(`${reason ?? "ready"}\n`, NO_STORE, reason === undefined ? 200 : 503);
  }],
  ["/robots.txt", ({ robots = ROBOTS }) => textAnswer(robots, A_DAY)],
  ["/favicon.ico", () => {
    const headers = { ...A_DAY, "content-type": "image/svg+xml", "x-content-type-options": "nosniff" };
    return bytesAnswer(encoder.encode(FAVICON), headers);
  }],
]);

export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return start === -1 ? "/" : url.slice(start, end === -1 ? undefined : end);
}

/**
 * Responds to a health check, or a request for `/robots.txt` or the icon; `undefined` for all other paths.
 */
export function answerOwnPath(
  { method, url }: Request,
  options: OwnPathsOptions,
): Answer | Promise<Answer> | undefined {
  const answer = PATHS.get(pathOf(url));
  if (answer === undefined) return undefined;
  if (method === "GET") return answer(options);
  if (method !== "HEAD") return errorAnswer(405, "Method Not Allowed", { allow: "GET,HEAD" });
  return Promise.resolve(answer(options)).then(withoutBody);
}
