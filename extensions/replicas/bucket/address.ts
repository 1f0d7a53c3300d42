/** Addresses of buckets, as the commands accept them: `s3://name/prefix`, `https://…`, or a folder. */
import { isBucketKey } from "./key.ts";
import type { S3Addressing } from "./s3.ts";

/** The parsed address of a bucket. It contains no secret. */
export type BucketAddress =
  | {
    readonly kind: "s3";
    readonly bucket: string;
    readonly prefix: string;
    readonly addressing?: S3Addressing;
  }
  | { readonly kind: "public"; readonly url: string }
  | { readonly kind: "folder"; readonly path: string };

/**
 * Parses the address of a bucket. These addresses are accepted:
 *
 * - `s3://name` or `s3://name/prefix`. The endpoint and the credentials come from the environment. With
 *   `?addressing=virtual-host` the name of the bucket becomes part of the host, with `?addressing=path` it
 *   becomes part of the path.
 * - `https://host/path`: a public bucket, which is read only. `http:` is accepted for this machine only.
 * - `file:///folder`, or the path of a folder.
 *
 * @throws {TypeError} for any other text. The message does not repeat the text, which may contain a password.
 */
export function parseBucketAddress(text: string): BucketAddress {
  if (text === "" || text.includes("\0")) throw wrongAddress("it is empty");
  if (text.startsWith("s3:")) return parseS3(text);
  if (/^https?:/.test(text)) {
    publicFolder(text);
    return { kind: "public", url: text };
  }
  if (text.startsWith("file:")) {
    const url = URL.parse(text);
    if (url === null || url.hostname !== "" || url.search !== "" || url.hash !== "") {
      throw wrongAddress("a file URL names a folder of this machine alone");
    }
    return { kind: "folder", path: folderOf(decodeURIComponent(url.pathname)) };
  }
  if (/^[a-z][a-z\d+.-]+:/i.test(text)) throw wrongAddress("expected s3://, https://, file:// or a folder");
  return { kind: "folder", path: folderOf(text) };
}

function parseS3(text: string): BucketAddress {
  const [, bucket, path = "", query] = /^s3:\/\/([^/?#@:]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (bucket === undefined) throw wrongAddress("expected s3://name/prefix");
  const prefix = path.replace(/\/+$/, "");
  if (prefix !== "" && !isBucketKey(prefix)) {
    throw wrongAddress("its prefix cannot be the beginning of a key");
  }
  if (query === undefined) return { kind: "s3", bucket, prefix };
  const addressing = /^addressing=(path|virtual-host)$/.exec(query)?.[1] as S3Addressing | undefined;
  if (addressing === undefined) throw wrongAddress("expected ?addressing=path or ?addressing=virtual-host");
  return { kind: "s3", bucket, prefix, addressing };
}

/**
 * Returns the path without final slashes.
 *
 * @throws {TypeError} for the root of the file system.
 */
function folderOf(path: string): string {
  const folder = path.replace(/\/+$/, "");
  if (folder === "") throw wrongAddress("the root of the file system cannot be a bucket");
  return folder;
}

function wrongAddress(reason: string): TypeError {
  return new TypeError(`Cannot use this text as the address of a bucket: ${reason}`);
}

/**
 * Returns the URL of the folder of a public bucket, with a final slash.
 *
 * @throws {TypeError} for a URL that cannot be used.
 */
export function publicFolder(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === "" && url.password === "" && url.search === "" &&
    url.hash === "";
  const isLocal = /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url?.hostname ?? "");
  if (!isPlain || !(url.protocol === "https:" || url.protocol === "http:" && isLocal)) {
    throw new TypeError(
      "Cannot use this text as a public bucket: expected an https URL without query and user",
    );
  }
  return url.href.replace(/\/*$/, "/");
}
