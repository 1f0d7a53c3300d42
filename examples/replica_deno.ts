// A replica on Deno, or a host such as Deno Deploy: what `xylem publish s3://…` has copied into a bucket.
// Run: BUCKET=s3://published AWS_ENDPOINT_URL=… deno serve --allow-env --allow-net examples/replica_deno.ts
import { openBucket, parseBucketAddress } from "../src/bucket/mod.ts";
import { loadLibgit2 } from "../src/diff/libgit2/carried.ts";
import { createReplica, type Replica } from "../src/replica/mod.ts";

// Credentials, region and endpoint are in the usual variables, `AWS_ACCESS_KEY_ID` and so on.
const variables = Deno.env.toObject();
const bucket = openBucket(parseBucketAddress(variables["BUCKET"] ?? ""), { variables });
const origin = variables["ORIGIN"];

let replica: Promise<Replica> | undefined;

export default {
  /** Answers a request. Without an origin, whatever only the home can do is refused. */
  async fetch(request: Request): Promise<Response> {
    try {
      replica ??= createReplica(bucket, { loadLibgit2, ...origin && { origin } });
      return await (await replica).fetch(request);
    } catch {
      // The bucket was away when the replica began: the next request tries again.
      replica = undefined;
      return Response.json({ error: "Service Unavailable", code: 503 }, {
        status: 503,
        headers: { "retry-after": "5" },
      });
    }
  },
};
