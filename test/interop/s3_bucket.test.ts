/** Buckets on a real S3 server, versitygw: the contract of all buckets, addressing, refusals. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { GET_LIMIT_BYTES } from "../../src/bucket/key.ts";
import { bytesOf, keysOf, mustGet, mustPut, testBucket, textOf } from "../bucket/suite.ts";
import { folderOnDisk, removeFolder } from "../support/programs.ts";
import { S3_DOMAIN, type S3Server, startVersitygw } from "../support/servers.ts";

const folder = folderOnDisk("s3-bucket");
let server: S3Server;
before(async () => {
  server = await startVersitygw(folder);
});
after(async () => {
  await server?.stop();
  removeFolder(folder);
});

testBucket("a bucket of versitygw", () => ({ bucket: server.bucket() }), { longList: 1_100 });

testBucket(
  "a bucket of versitygw with a prefix",
  () => ({ bucket: server.bucket({ prefix: "below/here" }) }),
);
