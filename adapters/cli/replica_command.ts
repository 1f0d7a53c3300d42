/** `xylem serve --bucket`: serves a published home from a bucket, and ends when it is told to. */
import { resolve } from "node:path";
import process from "node:process";
import { BUCKET_VARIABLES, type BucketAddress, BucketError, openBucket } from "../../src/bucket/mod.ts";
import { ApiError } from "../../src/errors.ts";
import type { ReplicaServer } from "../home/serve_replica.ts";
import { findCommit } from "./commit.ts";
import type { ServeCommand } from "./options.ts";
import { checkPermissions } from "./permissions.ts";
import { Progress } from "./progress.ts";
import { loadAdapter } from "./runtime.ts";
import { endOn, lookAt } from "./serve_command.ts";
import { readVariable } from "./variables.ts";

/** A command line that names a bucket. */
export interface ReplicaCommand extends ServeCommand {
  readonly bucket: BucketAddress;
}

/**
 * Serves until SIGTERM or SIGINT comes; then the process ends with status 0.
 *
 * @throws {Error} with a message for the operator when the bucket cannot be served or a socket not be opened.
 */
export async function replicaCommand(command: ReplicaCommand): Promise<void> {
  const progress = new Progress();
  const { serveReplica, homeParts, usualCachePath } = await loadAdapter();
  const cachePath = command.cache === "none" ? undefined : command.cache ?? usualCachePath();
  const commit = await findCommit();
  const address = command.bucket;
  if (address.kind === "folder") {
    await checkPermissions({ home: resolve(address.path), listen: command.listen, serves: false });
  }
  const bucket = openBucket(address, {
    variables: Object.fromEntries(BUCKET_VARIABLES.map((name) => [name, readVariable(name)])),
    fileSystem: homeParts.createFileSystem(),
    absolutePath: (path) => resolve(path),
  });
  const serving = serveReplica({
    bucket,
    listen: command.listen,
    environment: { log: progress.log, progress: progress.show },
    ...(command.origin !== undefined && { origin: command.origin }),
    ...(command.freshSeconds !== undefined && { freshSeconds: command.freshSeconds }),
    ...(commit !== undefined && { commit }),
    evaluation: command.evaluation,
    answers: command.answers,
    api: command.api,
    page: command.page,
    aliases: command.aliases,
    ...(cachePath !== undefined && { cachePath: resolve(cachePath) }),
    ...(command.maxConnections !== undefined && { maxConnections: command.maxConnections }),
    ...(command.memoryBytes !== undefined && { memoryBytes: command.memoryBytes }),
    ...(command.cacheBytes !== undefined && { cacheBytes: command.cacheBytes }),
  });
  endOn(["SIGTERM", "SIGINT"], serving);
  // When nobody reads the log any more, the service goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const server = await serving.catch((error) => {
    const isOfBucket = error instanceof BucketError || error instanceof ApiError;
    throw isOfBucket ? new Error(`Cannot serve the bucket: ${error.message}`, { cause: error }) : error;
  });
  const text = await describe(server, command);
  progress.clear();
  process.stdout.write(text);
}

async function describe(
  { urls, profile, storage }: ReplicaServer,
  { bucket, origin }: ReplicaCommand,
): Promise<string> {
  const count = await storage.repositoryIds().then((rids) => `${rids.length}`, () => "unknown");
  return [
    ...urls.map((url) => `Serving ${url}`),
    `  bucket        ${formatBucket(bucket)}`,
    `  origin        ${origin ?? "none: it can only be read"}`,
    `  node          ${profile.nodeId}${profile.alias === undefined ? "" : ` (${profile.alias})`}`,
    `  repositories  ${count}`,
    ...lookAt(urls),
    "Ctrl-C ends the service.",
    "",
  ].join("\n");
}

/** An address holds no secret. */
function formatBucket(address: BucketAddress): string {
  if (address.kind === "folder") return resolve(address.path);
  if (address.kind === "public") return address.url;
  return `s3://${address.bucket}${address.prefix === "" ? "" : `/${address.prefix}`}`;
}
