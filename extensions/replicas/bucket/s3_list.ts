/** A page of a list of S3 (`ListObjectsV2`), which is XML. */
import type { BucketEntry } from "./bucket.ts";

/** One page. Keys are as the server has them, with the prefix of the bucket. */
export interface ListPage {
  readonly entries: readonly BucketEntry[];
  /** Token for the next page; `undefined` after the last one. */
  readonly continuation: string | undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Reads a page. `undefined` when a required element is missing.
 *
 * Choice: no parser of XML. The elements are few, flat and made by a program; their texts are checked.
 */
export function parseListPage(xml: string): ListPage | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml) || !xml.trimEnd().endsWith("</ListBucketResult>")) return undefined;
  const entries: BucketEntry[] = [];
  for (const part of xml.split("<Contents>").slice(1)) {
    const content = part.slice(0, part.indexOf("</Contents>"));
    const key = elementOf(content, "Key");
    const etag = elementOf(content, "ETag");
    const size = elementOf(content, "Size") ?? "";
    const modifiedMs = Date.parse(elementOf(content, "LastModified") ?? "");
    if (!key || !etag || !/^\d{1,15}$/.test(size) || Number.isNaN(modifiedMs)) return undefined;
    entries.push({ key, etag: quoted(etag), size: Number(size), modifiedMs });
  }
  const rest = xml.slice(0, xml.indexOf("<Contents>") + 1 || undefined) +
    xml.slice(xml.lastIndexOf("</Contents>") + 1);
  if (elementOf(rest, "IsTruncated") !== "true") return { entries, continuation: undefined };
  const continuation = elementOf(rest, "NextContinuationToken");
  return continuation ? { entries, continuation } : undefined;
}

/** Text of the first element of a name. */
function elementOf(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? undefined : decoded(xml.slice(start + name.length + 2, end));
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|([a-z]+));/g, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? parseInt(hex, 16) : undefined;
    if (code === undefined) return ENTITIES[name] ?? whole;
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The tag as in header fields: some servers leave out its quotation marks in lists. */
function quoted(etag: string): string {
  return etag.endsWith('"') ? etag : `"${etag}"`;
}
