/**
 * The page for browsers (4.14): the root for those who accept HTML, and the files that it loads. The page
 * knows nothing that the API does not tell its visitor; its files are the same for everybody.
 */
import type { Call } from "../../src/routes/call.ts";
import type { Service as ServiceRoot } from "../../src/contract/root.ts";
import { prefersHtml } from "../../src/http/media_type.ts";
import type { Answer, AnswerOf } from "../../src/http/answer.ts";
import { unlessKnown } from "../../src/http/conditional.ts";
import { hasTrustworthyOrigin } from "../../src/http/privilege.ts";
import { textAnswer } from "../../src/http/respond.ts";
import type { PAGE_HASHES, PageFile } from "./carried/files.js";
import { showService } from "../../src/routes/root.ts";
import { NotFoundError } from "../../src/errors.ts";

/**
 * Bounds what a browser does with the page: it runs the scripts and has the style that are carried, each
 * known by its hash, so that no file of a repository on the same origin can be one. Its worker is of `data:`,
 * where no file of this host is, either. Requests go to this service alone, no site may frame it, and no text
 * becomes HTML or a script.
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

/** Header fields of the page and its files. */
const ISOLATED = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** Browsers know this field on trustworthy origins only, and call it an error on others. */
const ISOLATED_FROM_OPENERS = { "cross-origin-opener-policy": "same-origin" };

/** A file's name has the digest of its content, so its content never changes. */
const FOREVER = "public, max-age=31536000, immutable";

/** Shows the page to those who accept HTML, to others the root of the service. */
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

/** Shows a file of the page. */
export async function showFile(call: Call): Promise<AnswerOf<Uint8Array>> {
  const { PAGE_FILES } = await import("./carried/files.js");
  const name = call.param("file");
  if (name === "index.html" || !Object.hasOwn(PAGE_FILES, name)) {
    throw new NotFoundError(`File "${name}" was not found`);
  }
  // A script that is opened by itself is a text of no rights.
  const fields = { "cache-control": FOREVER, "content-security-policy": "default-src 'none'; sandbox" };
  return fileAnswer(call, PAGE_FILES[name]!, fields);
}

/** A file, unless the client has it. */
function fileAnswer({ request }: Call, { type, digest, text }: PageFile, fields: Answer["headers"]): Answer {
  const headers = { ...ISOLATED, ...fields, "content-type": `${type}; charset=utf-8`, etag: `"${digest}"` };
  return unlessKnown(request, textAnswer(text, headers));
}
