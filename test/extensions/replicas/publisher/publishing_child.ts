/**
 * Publishes a home while its references move, until the process kills itself at a call of the bucket.
 * Arguments: the home, the address of the bucket, the number of the last call, and whether it takes effect.
 */
import process from "node:process";
import { setTimeout } from "node:timers";
import { homeParts } from "../../../../adapters/node/parts.ts";
import { openHomePublisher } from "../../../../adapters/home/publish_home.ts";
import {
  BUCKET_VARIABLES,
  openBucket,
  parseBucketAddress,
} from "../../../../extensions/replicas/bucket/mod.ts";
import { fileSystem } from "../../../support/files.ts";
import { wrapBucket } from "./scripted_bucket.ts";
import { createTestClock } from "./test_publisher.ts";

const [home = "", address = "", lastCall = "", takesEffect = ""] = process.argv.slice(2);
const variables = Object.fromEntries(BUCKET_VARIABLES.map((name) => [name, process.env[name]]));
const inner = openBucket(parseBucketAddress(address), { variables, fileSystem });
let calls = 0;
const die = () => process.kill(process.pid, "SIGKILL");
const bucket = wrapBucket(inner, () => {
  if (++calls < Number(lastCall)) return;
  if (takesEffect !== "true") die();
  // In the middle of the call, or after it.
  setTimeout(die, 0);
}, await inner.conditionalPuts());
const { publisher } = await openHomePublisher(
  // The one before was killed: nobody waits for it to be so for long.
  { home, bucket, environment: { log: () => {} }, clock: createTestClock() },
  homeParts,
);
process.stdout.write("publishing\n");
while (true) await publisher.publishAll();
