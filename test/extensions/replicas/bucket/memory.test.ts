/** A bucket in memory keeps the contract of all buckets. */
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { testBucket } from "./suite.ts";

testBucket("a bucket in memory", () => ({ bucket: createMemoryBucket() }), { longList: 2_500 });
