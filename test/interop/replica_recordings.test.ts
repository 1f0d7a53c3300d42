/** `xylem serve --bucket` on each runtime answers recorded reads as the service beside the home. */
import { PUBLISHED_HOMES } from "../replay/published_reads.ts";
import { type BucketKind, testReplicas } from "./replica_suite.ts";

/** Reads of each recording, about; `long/replica_recordings.test.ts` sends all of them. */
const READS = 40;
/** Homes of both generations, each from another kind of bucket. */
const HOMES: Readonly<Record<string, BucketKind>> = {
  "browse.tar.gz": "versitygw",
  "today/today-collab.tar.gz": "a folder",
};

for (const home of PUBLISHED_HOMES) {
  const kind = HOMES[home.archive];
  if (kind !== undefined) testReplicas(home, [kind], READS);
}
