/** A replica in a process of its own: `node replica_child.ts BUCKET`. Says its URL when it answers. */
import process from "node:process";
import { createServer, fileSystem, inflate, loadLibgit2 } from "../../adapters/node/mod.ts";
import { openBucket, parseBucketAddress } from "../../src/bucket/mod.ts";
import { createReplica } from "../../src/replica/mod.ts";

const bucket = openBucket(parseBucketAddress(process.argv[2]!), { variables: process.env, fileSystem });
const replica = await createReplica(bucket, { loadLibgit2, inflate });
const { address } = await createServer((request) => replica.handle(request), {
  address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
});
if (address.transport === "tcp") process.stdout.write(`http://127.0.0.1:${address.port}\n`);
