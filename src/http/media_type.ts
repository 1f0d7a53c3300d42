/**
 * Finds the media type of a file from the extension of its name. Source code and unknown extensions are plain
 * text.
 */

/** Media type of bytes without a file name. */
export const BINARY_TYPE = "application/octet-stream";

const TEXT_TYPE = "text/plain; charset=utf-8";
const TYPES: Readonly<Record<string, string>> = {
  "7z": "application/x-7z-compressed",
  aac: "audio/aac",
  avi: "video/x-msvideo",
  avif: "image/avif",
  bin: BINARY_TYPE,
  bmp: "image/bmp",
  bz2: "application/x-bzip2",
  css: "text/css; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  epub: "application/epub+zip",
  flac: "audio/flac",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/vnd.microsoft.icon",
  ics: "text/calendar; charset=utf-8",
  jar: "application/java-archive",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  jsonld: "application/ld+json",
  m4a: "audio/mp4",
  mid: "audio/midi",
  midi: "audio/midi",
  mjs: "text/javascript; charset=utf-8",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  mpeg: "video/mpeg",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odt: "application/vnd.oasis.opendocument.text",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  ogv: "video/ogg",
  opus: "audio/opus",
  otf: "font/otf",
  pdf: "application/pdf",
  png: "image/png",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rar: "application/vnd.rar",
  rtf: "application/rtf",
  sh: "application/x-sh",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  tif: "image/tiff",
  tiff: "image/tiff",
  ttf: "font/ttf",
  wasm: "application/wasm",
  wav: "audio/wav",
  weba: "audio/webm",
  webm: "video/webm",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xhtml: "application/xhtml+xml",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  zip: "application/zip",
  zst: "application/zstd",
};

const NAME = /[\w.+!#$&^-]+/.source;
const TOKEN = /[\w.+!#$%&'*^`|~-]+/.source;
const QUOTED = /"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e]|\\[\t\x20-\x7e])*"/.source;
const PARAMETER = `${TOKEN}=(?:${TOKEN}|${QUOTED})`;
const MEDIA_TYPE = new RegExp(`^${NAME}/${NAME}(?:[\\t ]*;(?:[\\t ]*${PARAMETER})?)*[\\t ]*$`);

/** Matches media types of mail and its parts, of HTTP messages, and of page archives that browsers open. */
const ENVELOPE =
  /^(?:multipart\/|message\/|application\/(?:http|signed-exchange|webbundle|x-mimearchive|x-webarchive)(?![^\t ;]))/i;

export function mediaTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  return Object.hasOwn(TYPES, ending) ? TYPES[ending]! : TEXT_TYPE;
}

/**
 * Checks whether a text is a well-formed value of `Content-Type` (RFC 9110, 8.3). A list is not well-formed,
 * because browsers use the last type in a list.
 */
export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text);
}

/**
 * Checks whether bodies of a media type contain their own header fields, as the parts of `multipart/*` do.
 * Browsers follow these fields, so a file could choose its own policy and set cookies.
 */
export function isEnvelopeType(text: string): boolean {
  return ENVELOPE.test(text);
}

/** Matches a media range of `Accept` and its parameters. */
const RANGE = /^\s*([^\s;]+)\s*(?:;(.*))?$/;
const QUALITY = /(?:^|;)\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*(?:;|$)/i;

/**
 * Checks whether a client prefers HTML, as browsers do for pages. `Accept` must contain `text/html` with at
 * least the quality of JSON. Choice: Ranges with `*` are ignored, because programs that do not want HTML send
 * such ranges.
 *
 * @param accept The header field; `null` when it is missing.
 */
export function prefersHtml(accept: string | null): boolean {
  const html = qualityOf("text/html", accept ?? "");
  return html > 0 && html >= qualityOf("application/json", accept ?? "");
}

/** Returns the quality of a media type, from 0 to 1. A type that is not in the field has the quality 0. */
function qualityOf(type: string, accept: string): number {
  for (const item of accept.split(",")) {
    const [, range, parameters = ""] = RANGE.exec(item) ?? [];
    if (range?.toLowerCase() === type) return Number(QUALITY.exec(parameters)?.[1] ?? 1);
  }
  return 0;
}
