/**
 * Reads pictures of repositories. The page reads the bytes of a picture through the API, and never loads a
 * picture by its URL.
 */
import { visitor } from "./app.ts";
import type { PathProps } from "./places.ts";

/** Maximum size of a picture that is drawn, in bytes. */
export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;

/** Media types of pictures, with the first bytes of their files. */
const STARTS: readonly (readonly [type: string, start: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF....WEBP/s],
  ["image/avif", /^....ftypavif/s],
  // In an `img` element, an SVG picture runs no scripts and loads nothing.
  ["image/svg+xml", /^(?:\ufeff|ï»¿)?\s*(?:<\?xml|<!--|<svg)/],
];

/** A file at a commit, or a blob. */
export type PictureSource = PathProps | { readonly oid: string };

/**
 * Returns a `data:` URL that contains a picture; `undefined` for a file that is not a picture, or is too
 * large.
 */
export async function pictureAddress(
  rid: string,
  source: PictureSource,
): Promise<string | undefined> {
  // The picture is in a text that the visitor is writing.
  if ("oid" in source && source.oid.startsWith("data:image/")) return source.oid;
  const { client } = visitor;
  const response = "oid" in source
    ? await client.file("/raw/:rid/blobs/:oid", { rid, oid: source.oid })
    : await client.file("/raw/:rid/:sha/*path", { rid, sha: source.revision, path: source.path });
  const length = Number(response.headers.get("content-length"));
  if (length > MAX_PICTURE_BYTES) return void await response.body?.cancel();
  const bytes = new Uint8Array(await response.arrayBuffer());
  const start = String.fromCharCode(...bytes.subarray(0, 256));
  const type = STARTS.find(([, pattern]) => pattern.test(start))?.[0];
  if (type === undefined || bytes.length > MAX_PICTURE_BYTES) return undefined;
  return await dataAddress(new Blob([bytes], { type }));
}

export function dataAddress(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
