/** Addresses of buckets, as commands take them: `s3://name/prefix`, `https://…`, or a folder. */
import type { Bucket } from "../ports/bucket.ts";
import type { FileSystem } from "../ports/file_system.ts";
import { createFolderBucket } from "./folder.ts";
import type { Fetch } from "./http_calls.ts";
import { isBucketKey } from "./key.ts";
import { createPublicBucket } from "./public.ts";
import { createS3Bucket, type S3Addressing } from "./s3.ts";

/** The place of a bucket. It holds no secret. */
export type BucketAddress =
  | {
    readonly kind: "s3";
    readonly bucket: string;
    readonly prefix: string;
    readonly addressing?: S3Addressing;
  }
  | { readonly kind: "public"; readonly url: string }
  | { readonly kind: "folder"; readonly path: string };

/** Variables of the environment from which S3 buckets take endpoint, region and credentials. */
export const BUCKET_VARIABLES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_ENDPOINT_URL_S3",
  "AWS_ENDPOINT_URL",
] as const;

/** Values of {@link BUCKET_VARIABLES}, and of any others; empty ones count as absent. */
export type BucketVariables = Readonly<Record<string, string | undefined>>;

/** The parts of a runtime that open a bucket. */
export interface BucketParts {
  readonly variables: BucketVariables;
  /** For folders; without it, they are refused. */
  readonly fileSystem?: FileSystem | undefined;
  /** Makes the path of a folder absolute; without it, it must be absolute already. */
  readonly absolutePath?: ((path: string) => string) | undefined;
  /** Sends requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined;
}

/**
 * Reads the address of a bucket:
 *
 * - `s3://name` or `s3://name/prefix`: endpoint and credentials are in the environment. With
 *   `?addressing=virtual-host` the name of the bucket becomes part of the host, with `path` of the path;
 * - `https://host/path`: a public bucket, read only;
 * - `file:///folder`, or the path of a folder.
 *
 * @throws {TypeError} for anything else. The message does not repeat the address: it may hold a password.
 */
export function parseBucketAddress(text: string): BucketAddress {
  if (text === "" || text.includes("\0")) throw wrongAddress("it is empty");
  if (text.startsWith("s3:")) return parseS3(text);
  if (/^https?:/.test(text)) {
    // Checks the URL.
    createPublicBucket(text);
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

/**
 * Opens the bucket of an address. Nothing is read before the first call.
 *
 * @throws {TypeError} when the environment lacks credentials, or has an endpoint that cannot be. The message
 *   names the variable, not its value.
 */
export function openBucket(address: BucketAddress, parts: BucketParts): Bucket {
  if (address.kind === "public") return createPublicBucket(address.url, { fetch: parts.fetch });
  if (address.kind === "folder") {
    const { fileSystem, absolutePath = (path) => path } = parts;
    if (fileSystem === undefined) throw new TypeError("Cannot open a folder as a bucket on this host");
    return createFolderBucket(absolutePath(address.path), { fileSystem });
  }
  const { variables } = parts;
  const required = (name: typeof BUCKET_VARIABLES[number]) => {
    const value = variables[name];
    if (!value) throw new TypeError(`Cannot open a bucket without the variable ${name}`);
    return value;
  };
  return createS3Bucket({
    bucket: address.bucket,
    prefix: address.prefix,
    addressing: address.addressing,
    accessKeyId: required("AWS_ACCESS_KEY_ID"),
    secretAccessKey: required("AWS_SECRET_ACCESS_KEY"),
    sessionToken: variables.AWS_SESSION_TOKEN || undefined,
    region: variables.AWS_REGION || variables.AWS_DEFAULT_REGION || undefined,
    endpoint: variables.AWS_ENDPOINT_URL_S3 || variables.AWS_ENDPOINT_URL || undefined,
    fetch: parts.fetch,
  });
}

function parseS3(text: string): BucketAddress {
  const [, bucket, path = "", query] = /^s3:\/\/([^/?#@:]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (bucket === undefined) throw wrongAddress("expected s3://name/prefix");
  const prefix = path.replace(/\/+$/, "");
  if (prefix !== "" && !isBucketKey(prefix)) throw wrongAddress("its prefix cannot begin keys");
  if (query === undefined) return { kind: "s3", bucket, prefix };
  const addressing = /^addressing=(path|virtual-host)$/.exec(query)?.[1] as S3Addressing | undefined;
  if (addressing === undefined) throw wrongAddress("expected ?addressing=path or ?addressing=virtual-host");
  return { kind: "s3", bucket, prefix, addressing };
}

/** A path without final slashes. The root of the file system is no bucket. */
function folderOf(path: string): string {
  const folder = path.replace(/\/+$/, "");
  if (folder === "") throw wrongAddress("the root of the file system is no bucket");
  return folder;
}

function wrongAddress(reason: string): TypeError {
  return new TypeError(`Cannot use this text as the address of a bucket: ${reason}`);
}
