/**
 * Serves the web page, and the files that the page loads (docs/api.md, 4.14). The page shows only what the
 * API returns to its visitor, and the files of the page are the same for everybody.
 */
import type { Service as ServiceRoot } from "../../src/contract/mod.ts";
import {
  type Answer,
  type AnswerOf,
  type Call,
  hasTrustworthyOrigin,
  NotFoundError,
  prefersHtml,
  showService,
  textAnswer,
  unlessKnown,
} from "../../src/mod.ts";
import type { PAGE_HASHES, PageFile } from "./carried/files.js";

/**
 * Returns the content security policy of the page. The policy allows only the scripts and the style of the
 * page, which it identifies by their hashes. Therefore no file of a repository on the same origin can run.
 * The page can send requests only to this service, no site may frame the page, and no text becomes HTML or a
 * script.
 */
function pagePolicy({ scripts, style }: typeof PAGE_HASHES): string {
  return [
    "default-src 'none'",
    `script-src ${scripts.map((hash) => `'${hash}'`).join(" ")}`,
    `style-src '${style}'`,
    "connect-src 'self'",
    "img-src data:",
    "worker-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types dompurify worker",
  ].join("; ");
}

const ISOLATED = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * A further header field for trustworthy origins. On other origins, browsers report this field as an error.
 */
const ISOLATED_FROM_OPENERS = { "cross-origin-opener-policy": "same-origin" };

/** Value of `Cache-Control` for files whose name contains the digest of their content. */
const FOREVER = "public, max-age=31536000, immutable";

/** Sends the page to clients that accept HTML, and the root of the API to all other clients. */
export async function showRoot(call: Call): Promise<AnswerOf<ServiceRoot>> {
  if (!prefersHtml(call.request.headers.get("accept"))) return await showService(call);
  const { PAGE_FILES, PAGE_HASHES } = await import("./carried/files.js");
  return fileAnswer(call, PAGE_FILES["index.html"]!, {
    "cache-control": "no-cache",
    vary: "accept",
    "content-security-policy": pagePolicy(PAGE_HASHES),
    ...(hasTrustworthyOrigin(call.request) && ISOLATED_FROM_OPENERS),
  });
}

export async function showFile(call: Call): Promise<AnswerOf<Uint8Array>> {
  const { PAGE_FILES } = await import("./carried/files.js");
  const name = call.param("file");
  if (name === "index.html" || !Object.hasOwn(PAGE_FILES, name)) {
    throw new NotFoundError(`File "${name}" was not found`);
  }
  // If a visitor opens the URL of a script directly, the script is shown as text without any rights.
  const fields = { "cache-control": FOREVER, "content-security-policy": "default-src 'none'; sandbox" };
  return fileAnswer(call, PAGE_FILES[name]!, fields);
}

/** Sends a file, or the status 304 when the client already has the file. */
function fileAnswer({ request }: Call, { type, digest, text }: PageFile, fields: Answer["headers"]): Answer {
  const headers = { ...ISOLATED, ...fields, "content-type": `${type}; charset=utf-8`, etag: `"${digest}"` };
  return unlessKnown(request, textAnswer(text, headers));
}
