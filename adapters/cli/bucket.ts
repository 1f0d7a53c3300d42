/** The bucket that a command line names. */
import { resolve } from "node:path";
import { BUCKET_VARIABLES, type BucketAddress, openBucket } from "../../src/replication/bucket/mod.ts";
import type { Bucket } from "../../src/ports/bucket.ts";
import type { HomeParts } from "../home/parts.ts";
import { readVariable } from "./variables.ts";

/** Opens a bucket, with the credentials that variables name. */
export function openNamedBucket(address: BucketAddress, { createFileSystem }: HomeParts): Bucket {
  return openBucket(address, {
    variables: Object.fromEntries(BUCKET_VARIABLES.map((name) => [name, readVariable(name)])),
    fileSystem: createFileSystem(),
    absolutePath: (path) => resolve(path),
  });
}

/** Writes an address for the operator. It holds no secret. */
export function formatBucket(address: BucketAddress): string {
  if (address.kind === "folder") return resolve(address.path);
  if (address.kind === "public") return address.url;
  return `s3://${address.bucket}${address.prefix === "" ? "" : `/${address.prefix}`}`;
}
