/** Pictures of repositories. They are read by the API and drawn from memory: the page loads no addresses. */
import { visitor } from "./app.ts";

/** Largest picture that is drawn, in bytes. */
export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;

/** Types of pictures by the first bytes of their files. */
const STARTS: readonly (readonly [type: string, start: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF....WEBP/s],
  ["image/avif", /^....ftypavif/s],
  // As a picture, it runs no scripts and loads nothing.
  ["image/svg+xml", /^(?:\ufeff|ï»¿)?\s*(?:<\?xml|<!--|<svg)/],
];

/** Address of a picture in memory; `undefined` for a file that is none or too large. */
export async function pictureAddress(
  rid: string,
  source: { readonly revision: string; readonly path: string } | { readonly oid: string },
): Promise<string | undefined> {
  // A picture that is being written.
  if ("oid" in source && source.oid.startsWith("data:image/")) return source.oid;
  const { client } = visitor;
  const response = "oid" in source
    ? await client.file("/raw/:rid/blobs/:oid", { rid, oid: source.oid })
    : await client.file("/raw/:rid/:sha/*path", { rid, sha: source.revision, path: source.path });
  const length = Number(response.headers.get("content-length"));
  if (length > MAX_PICTURE_BYTES) return void await response.body?.cancel();
  return dataAddress(new Uint8Array(await response.arrayBuffer()));
}

/** Address of a picture that has these bytes. */
export function dataAddress(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_PICTURE_BYTES) return undefined;
  const start = String.fromCharCode(...bytes.subarray(0, 256));
  const type = STARTS.find(([, pattern]) => pattern.test(start))?.[0];
  if (type === undefined) return undefined;
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return `data:${type};base64,${btoa(text)}`;
}
