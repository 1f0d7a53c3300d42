/** Opens the bucket of an address, with endpoint and credentials from the environment. */
import type { Bucket } from "./bucket.ts";
import type { FileSystem } from "../../../src/mod.ts";
import type { BucketAddress } from "./address.ts";
import { createFolderBucket } from "./folder.ts";
import type { Fetch } from "./http_calls.ts";
import { createPublicBucket } from "./public.ts";
import { createS3Bucket } from "./s3.ts";

/** Variables of the environment that give S3 buckets their endpoint, region and credentials. */
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

/** Functions of a runtime that open a bucket. */
export interface BucketParts {
  readonly variables: BucketVariables;
  /** For folders; without it, they are refused. */
  readonly fileSystem?: FileSystem | undefined;
  /** Makes the path of a folder absolute; without it, only absolute paths work. */
  readonly absolutePath?: ((path: string) => string) | undefined;
  /** Sends requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined;
}

/**
 * Opens the bucket of an address. Reads nothing before the first call.
 *
 * @throws {TypeError} when the environment lacks credentials, or has an unusable endpoint. The message names
 *   the variable, not its value.
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
