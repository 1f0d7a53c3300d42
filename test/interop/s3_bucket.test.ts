/** Buckets on a real S3 server, versitygw: the contract of all buckets, addressing, refusals. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, it } from "node:test";
import type { Fetch } from "../../extensions/replicas/bucket/http_calls.ts";
import {
  bytesOf,
  keysOf,
  mustGet,
  mustPut,
  testBucket,
  textOf,
} from "../extensions/replicas/bucket/suite.ts";
import { folderOnDisk, removeFolder } from "../support/programs.ts";
import { S3_DOMAIN, type S3Server, startVersitygw } from "../support/servers.ts";

/** Objects on more than one page of the server's list. */
const TWO_PAGES = 1_100;

const folder = folderOnDisk("s3-bucket");
let server: S3Server;
before(async () => {
  server = await startVersitygw(folder);
});
after(async () => {
  await server?.stop();
  removeFolder(folder);
});

testBucket("a bucket of versitygw", () => ({ bucket: server.bucket() }), { longList: TWO_PAGES });

testBucket(
  "a bucket of versitygw with a prefix",
  () => ({ bucket: server.bucket({ prefix: "below/here" }) }),
);

/** Sends requests to the server under whatever host their URL has, as a name server would lead them there. */
const toServer: Fetch = async (url, { method, headers, body }) => {
  const { host, pathname, search } = new URL(url);
  const sent = request(new URL(`${pathname}${search}`, server.url), {
    method: method!,
    headers: { ...Object.fromEntries(headers as Headers), host },
  });
  sent.end(body ?? undefined);
  const [answer] = await once(sent, "response") as [IncomingMessage];
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of answer) chunks.push(new Uint8Array(chunk));
  const fields = Object.entries(answer.headers).map(([name, value]) =>
    [name, String(value)] as [string, string]
  );
  const status = answer.statusCode!;
  return new Response([204, 304].includes(status) ? null : new Blob(chunks), { status, headers: fields });
};

describe("a bucket of versitygw", () => {
  it("is found by the name of the host, too", async () => {
    const bucket = server.bucket({
      addressing: "virtual-host",
      endpoint: `http://${S3_DOMAIN}`,
      prefix: "hosts",
      fetch: toServer,
    });
    await mustPut(bucket, "a/b", bytesOf("by host"));
    assert.equal(textOf((await mustGet(bucket, "a/b", { range: { start: 3, end: 7 } })).bytes), "host");
    assert.deepEqual(await keysOf(bucket.list("a/")), ["a/b"]);
    assert.equal(textOf((await mustGet(server.bucket(), "hosts/a/b")).bytes), "by host");
  });

  it("shares a server with other prefixes, and does not see them", async () => {
    await mustPut(server.bucket({ prefix: "one" }), "key", bytesOf("one"));
    const two = server.bucket({ prefix: "two" });
    assert.equal(await two.get("key"), undefined);
    assert.deepEqual(await keysOf(two.list("")), []);
  });

  it("is denied to wrong credentials, and where there is no such bucket", async () => {
    const denied = { name: "BucketError", obstacle: "denied" };
    const wrong = [
      server.bucket({ secretAccessKey: "wrong" }),
      server.bucket({ accessKeyId: "unknown" }),
      server.bucket({ region: "elsewhere" }),
      server.bucket({ bucket: "absent" }),
    ];
    for (const bucket of wrong) {
      await assert.rejects(bucket.get("key"), denied);
      await assert.rejects(bucket.put("key", bytesOf("")), denied);
      await assert.rejects(keysOf(bucket.list("")), denied);
    }
  });

  it("is unavailable when no server listens, and its errors name neither address nor credentials", async () => {
    const other = await startVersitygw(`${folder}/other`);
    const bucket = other.bucket({ times: { pauseMs: 1 } });
    await mustPut(bucket, "key", bytesOf("x"));
    await other.stop();
    const { accessKeyId, secretAccessKey } = other.options;
    const calls = [
      () => bucket.get("key"),
      () => bucket.head("key"),
      () => bucket.put("key", bytesOf("y")),
      () => bucket.delete(["key"]),
    ];
    for (const call of calls) {
      await assert.rejects(call(), (error: Error) => {
        assert.equal((error as { obstacle?: string }).obstacle, "unavailable");
        const text = `${error.stack}${JSON.stringify(error)}${error.cause}`;
        for (const secret of [accessKeyId, secretAccessKey, "127.0.0.1", new URL(other.url).port]) {
          assert.ok(!error.message.includes(secret) && !text.split("\n")[0]!.includes(secret), secret);
        }
        assert.equal(error.cause, undefined);
        return true;
      });
    }
  });
});
