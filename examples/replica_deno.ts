// A replica on Deno or on a host such as Deno Deploy. It serves a bucket that `xylem publish s3://…` fills.
// Run: BUCKET=s3://published AWS_ENDPOINT_URL=… deno serve -EN --port 8080 examples/replica_deno.ts
// deno-lint-ignore-file no-console -- it logs why it answers 503
import { openBucket, parseBucketAddress } from "../extensions/replicas/bucket/mod.ts";
import { loadLibgit2 } from "../src/diff/libgit2/carried.ts";
import { createReplica } from "../extensions/replicas/replica/mod.ts";

// Credentials, region and endpoint are in the usual environment variables, such as `AWS_ACCESS_KEY_ID`.
const variables = Deno.env.toObject();
const bucket = openBucket(parseBucketAddress(variables["BUCKET"] ?? ""), { variables });
const origin = variables["ORIGIN"];

const replica = await createReplica(bucket, {
  loadLibgit2,
  environment: { log: (level, message, cause) => console.error(level, message, cause ?? "") },
  ...origin && { origin },
});

export default {
  /**
   * Serves a request. Until the bucket can be read, the response is 503, and the log contains the reason.
   * Without an origin, the replica refuses changes.
   */
  fetch: (request: Request): Promise<Response> => replica.fetch(request),
};
