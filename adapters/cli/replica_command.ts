/** Runs `xylem serve --bucket`, which serves a published home from a bucket. */
import { resolve } from "node:path";
import type { BucketAddress } from "../../extensions/replicas/bucket/mod.ts";
import type { ReplicaServer } from "../home/serve_replica.ts";
import { formatBucket, openNamedBucket } from "./home.ts";
import { present } from "./command_line.ts";
import type { ServeCommand } from "./parse_command.ts";
import { checkPermissions } from "./permissions.ts";
import { Progress } from "./progress.ts";
import { loadAdapter } from "./runtime.ts";
import { readTokenKey } from "./token_key.ts";
import { introduce, operated, serviceOptions, started, watchedBy } from "./service.ts";

export interface ReplicaCommand extends ServeCommand {
  readonly bucket: BucketAddress;
}

/**
 * Serves until SIGTERM or SIGINT. The process then ends with status 0.
 *
 * @throws {Error} with a message for the operator when the bucket or a socket cannot be opened.
 */
export async function replicaCommand(command: ReplicaCommand): Promise<void> {
  const progress = new Progress();
  const { serveReplica, homeParts, usualCachePath, createServer } = await loadAdapter();
  const address = command.bucket;
  if (address.kind === "folder") {
    await checkPermissions({ folder: resolve(address.path), listen: command.listen, serves: false });
  }
  const bucket = openNamedBucket(address, homeParts);
  const ending = await operated(command, progress, createServer, { isReplica: true });
  const server = await started(
    serveReplica({
      operator: ending.operation,
      ...await serviceOptions(command, progress, usualCachePath),
      bucket: watchedBy(ending, "bucket")(bucket),
      ...present({
        origin: command.origin,
        clonesFrom: command["clones-from"],
        freshSeconds: command.fresh,
        maxStaleSeconds: command["max-stale"],
      }),
    }),
    progress,
    ending,
  );
  if (command.origin !== undefined && readTokenKey() === undefined) {
    progress.log(
      "warn",
      "All clients of this replica count as one at the origin: set XYLEM_TOKEN_KEY to the value that the origin uses",
    );
  }
  const facts = await factsOf(server, command);
  introduce(server, { ...facts, ...present({ metrics: ending.metricsUrl }) }, progress);
}

async function factsOf({ profile, storage }: ReplicaServer, { bucket, origin }: ReplicaCommand) {
  return {
    bucket: formatBucket(bucket),
    origin: origin ?? "none; this service is read-only",
    node: profile === undefined
      ? "unknown; every request is answered 503 until its description can be read"
      : `${profile.nodeId}${profile.alias === undefined ? "" : ` (${profile.alias})`}`,
    repositories: profile === undefined
      ? "unknown"
      : await storage.repositoryIds().then((rids) => `${rids.length}`, () => "unknown"),
  };
}
