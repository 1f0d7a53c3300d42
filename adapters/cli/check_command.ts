/** `xylem publish BUCKET --check`: verifies what is in a bucket, without a home. */
import process from "node:process";
import { BucketError } from "../../src/replication/bucket/mod.ts";
import { checkBucket } from "../../src/replication/publisher/bucket_check.ts";
import { createUnpack } from "../../src/git/unpack.ts";
import type { HomeParts } from "../home/parts.ts";
import { openNamedBucket } from "./bucket.ts";
import type { PublishCommand } from "./parse_command.ts";

/**
 * Prints a line for each damage, and one at the end, as JSON.
 *
 * @throws {Error} with a message for the operator when something is damaged or the bucket cannot be read.
 */
export async function checkCommand(
  { bucket: address }: PublishCommand,
  parts: HomeParts,
  signal: AbortSignal,
): Promise<void> {
  const tell = (event: string, line: object) =>
    process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...line })}\n`);
  try {
    const bucket = openNamedBucket(address, parts);
    const unpack = createUnpack(parts.inflate);
    const report = await checkBucket({ bucket, unpack, signal }, (damage) => tell("damage", damage));
    tell("checked", report);
    if (report.damaged > 0) throw new Error(`${report.damaged} objects of the bucket are damaged or missing`);
  } catch (error) {
    if (signal.aborted) throw new Error("The check was ended by a signal");
    throw error instanceof BucketError ? new Error(`Cannot check: ${error.message}`) : error;
  }
}
