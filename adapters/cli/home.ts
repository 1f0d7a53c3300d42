/** Finds the home and the bucket that a command line names. */
import { resolve } from "node:path";
import { NO_HOME_VARIABLE, readVariable, usualHome } from "./variables.ts";
import { demoHomePath } from "./demo.ts";
import { BUCKET_VARIABLES, type BucketAddress, openBucket } from "../../extensions/replicas/bucket/mod.ts";
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import type { HomeParts } from "../home/parts.ts";

export interface NamedHome {
  /** Path of a home as the user wrote it. */
  readonly home?: string;
  /** Whether to use the demo home. */
  readonly demo?: true;
}

/**
 * Returns the absolute path of the home that the command line names, or of the default home. The home does
 * not have to exist.
 *
 * @throws {Error} with a message for the operator when neither path is known.
 */
export function findHome({ home, demo }: NamedHome): string {
  const found = demo ? demoHomePath() : home ?? usualHome();
  if (found === undefined) throw new Error(`No Radicle home: ${NO_HOME_VARIABLE}; use --home DIR or --demo`);
  return resolve(found);
}

/** Opens a bucket. The credentials come from environment variables. */
export function openNamedBucket(address: BucketAddress, { fileSystem }: HomeParts): Bucket {
  return openBucket(address, {
    variables: Object.fromEntries(BUCKET_VARIABLES.map((name) => [name, readVariable(name)])),
    fileSystem,
    absolutePath: (path) => resolve(path),
  });
}

/** Formats the address of a bucket for the operator. The result contains no secret. */
export function formatBucket(address: BucketAddress): string {
  if (address.kind === "folder") return resolve(address.path);
  if (address.kind === "public") return address.url;
  return `s3://${address.bucket}${address.prefix === "" ? "" : `/${address.prefix}`}`;
}
