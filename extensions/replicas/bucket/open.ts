/** Opens the bucket that an address names. The endpoint and the credentials come from the environment. */
import type { Bucket } from "./bucket.ts";
import type { FileSystem } from "../../../src/mod.ts";
import type { BucketAddress } from "./address.ts";
import { createFolderBucket } from "./folder.ts";
import type { Fetch } from "./http_calls.ts";
import { createPublicBucket } from "./public.ts";
import { createS3Bucket } from "./s3.ts";

/** Names of the environment variables with the endpoint, the region and the credentials of S3 buckets. */
export const BUCKET_VARIABLES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_ENDPOINT_URL_S3",
  "AWS_ENDPOINT_URL",
] as const;

/** Values of {@link BUCKET_VARIABLES}. Other variables are ignored. An empty value counts as absent. */
export type BucketVariables = Readonly<Record<string, string | undefined>>;

/** Variables and functions of the runtime that {@link openBucket} needs. */
export interface BucketParts {
  readonly variables: BucketVariables;
  /** Needed to open a folder. Without it, folders are refused. */
  readonly fileSystem?: FileSystem | undefined;
  /** Makes the path of a folder absolute. Without it, only absolute paths work. */
  readonly absolutePath?: ((path: string) => string) | undefined;
  /** Sends requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined;
}

/**
 * Opens the bucket that an address names. Nothing is read before the first call of the bucket.
 *
 * @throws {TypeError} when a required environment variable is missing, when the endpoint is not usable, or
 *   for a folder without `fileSystem`. The message contains no value of a variable with credentials.
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
