/** `xylem serve --bucket` on each runtime answers all recorded reads as the service beside the home. */
import { PUBLISHED_HOMES } from "../../replay/published_reads.ts";
import { testReplicas } from "../replica_suite.ts";

for (const home of PUBLISHED_HOMES) testReplicas(home, ["a folder", "versitygw", "Garage"], Infinity);
