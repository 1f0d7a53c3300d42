/** Faults between a bucket and its S3 server: each call succeeds after another attempt, or says what is wrong. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { createPublicBucket } from "../../extensions/replicas/bucket/public.ts";
import type { Bucket, BucketError } from "../../extensions/replicas/bucket/bucket.ts";
import { bytesOf, keysOf, mustGet, mustPut, textOf } from "../extensions/replicas/bucket/suite.ts";
import { type Fault, type FaultProxy, startFaultProxy } from "../support/fault_proxy.ts";
import { folderOnDisk, removeFolder } from "../support/programs.ts";
import { type S3Server, startVersitygw } from "../support/servers.ts";

const CONTENT = "0123456789".repeat(1_000);
const RANGE = { start: 20, end: 25 };

const folder = folderOnDisk("bucket-faults");
let server: S3Server;
let proxy: FaultProxy;
/** Through the proxy. No call waits: each attempt follows at once. */
let bucket: Bucket;
/** Waits for a silent server, but not for long. */
let patient: Bucket;
/** Does not wait for a server at all: for faults that last. */
let impatient: Bucket;
/** Past the proxy. */
let direct: Bucket;
before(async () => {
  server = await startVersitygw(folder);
  proxy = await startFaultProxy(server.url);
  bucket = server.bucket({ endpoint: proxy.url, times: { pauseMs: 1, silenceMs: 60_000, callMs: 120_000 } });
  patient = server.bucket({ endpoint: proxy.url, times: { pauseMs: 1, silenceMs: 1_000, callMs: 120_000 } });
  impatient = server.bucket({ endpoint: proxy.url, times: { pauseMs: 1, silenceMs: 20, callMs: 120_000 } });
  direct = server.bucket();
  await mustPut(direct, "key", bytesOf(CONTENT));
});
afterEach(() => {
  proxy.fault = undefined;
  proxy.requests.length = 0;
});
after(async () => {
  await proxy?.close();
  await server?.stop();
  removeFolder(folder);
});

/** Has one fault in the first `count` requests from now on. */
function failing(fault: Fault, count = Infinity): void {
  let left = count;
  proxy.fault = () => left-- > 0 ? fault : undefined;
}

const obstacleOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "none",
    (error: BucketError) => error.name === "BucketError" ? error.obstacle : String(error),
  );

/** Faults of which an attempt later nothing is left, and the obstacle when they stay. */
const PASSING: Readonly<Record<string, { fault: Fault; obstacle: string }>> = {
  "status 500": { fault: { kind: "status", status: 500 }, obstacle: "unavailable" },
  "status 503": { fault: { kind: "status", status: 503, code: "SlowDown" }, obstacle: "unavailable" },
  "a connection that ends": { fault: { kind: "cut" }, obstacle: "unavailable" },
  "a body that is cut": { fault: { kind: "cut", afterBytes: 3 }, obstacle: "unavailable" },
};

/** Answers to a range that are not what was asked for. */
const LIES: Readonly<Record<string, Fault>> = {
  "the whole object": { kind: "whole" },
  "fewer bytes": { kind: "short", bytes: 2 },
  "no byte": { kind: "short", bytes: 5 },
  "a size that does not hold the range": { kind: "other-size", size: 10 },
};

describe("a bucket behind faults", () => {
  for (const [name, { fault, obstacle }] of Object.entries(PASSING)) {
    it(`reads after ${name}`, async () => {
      failing(fault, 2);
      assert.equal(textOf((await mustGet(bucket, "key")).bytes), CONTENT);
      assert.ok(proxy.requests.length >= 3 && proxy.requests.length <= 6);
      failing(fault, 1);
      assert.equal(textOf((await mustGet(bucket, "key", { range: RANGE })).bytes), "01234");
    });

    it(`gives up reading when there is ${name} each time`, async () => {
      failing(fault);
      assert.equal(await obstacleOf(bucket.get("key")), obstacle);
      // Deno and Bun send a request again themselves when a connection that they have used before ends.
      assert.ok(proxy.requests.length > 2 && proxy.requests.length < 20);
    });
  }

  for (const [name, fault] of Object.entries(LIES)) {
    it(`accepts no range that is ${name}`, async () => {
      failing(fault);
      assert.equal(await obstacleOf(bucket.get("key", { range: RANGE })), "broken");
      failing(fault, 1);
      const isFinal = fault.kind === "other-size";
      const read = bucket.get("key", { range: RANGE });
      if (isFinal) assert.equal(await obstacleOf(read), "broken");
      else assert.equal(textOf((await read as { bytes: Uint8Array }).bytes), "01234");
    });
  }

  it("accepts no range under the name of another", async () => {
    // The proxy says that these are the bytes: nothing but their content can tell, which the reader checks.
    failing({ kind: "shifted", by: 2 });
    assert.equal(textOf((await mustGet(bucket, "key", { range: RANGE })).bytes), "23456");
    proxy.fault = ({ range }) => range === "bytes=20-24" ? { kind: "whole" } : undefined;
    assert.equal(await obstacleOf(bucket.get("key", { range: RANGE })), "broken");
  });

  it("asks again when a server says nothing, or no more", async () => {
    for (const fault of [{ kind: "silence" }, { kind: "silence", afterBytes: 100 }] as const) {
      failing(fault, 1);
      assert.equal(textOf((await mustGet(patient, "key")).bytes), CONTENT);
      failing(fault);
      assert.equal(await obstacleOf(impatient.get("key")), "unavailable");
    }
    failing({ kind: "silence" });
    assert.equal(await obstacleOf(impatient.get("key", { range: RANGE })), "unavailable");
    assert.equal(await obstacleOf(impatient.head("key")), "unavailable");
    assert.equal(await obstacleOf(keysOf(impatient.list(""))), "unavailable");
  });

  it("ends with its time, whatever attempts are left", async () => {
    const short = server.bucket({
      endpoint: proxy.url,
      times: { callMs: 80, silenceMs: 60_000, pauseMs: 20 },
    });
    failing({ kind: "silence" });
    assert.equal(await obstacleOf(short.get("silent")), "unavailable");
    // A request of the test before may come late. Deno and Bun may send this one twice, as above.
    assert.ok(proxy.requests.filter(({ path }) => path.includes("silent")).length < 3);
  });

  it("ends with its signal", async () => {
    const controller = new AbortController();
    const reason = new Error("Nobody waits");
    proxy.fault = () => {
      controller.abort(reason);
      return { kind: "silence" };
    };
    await assert.rejects(bucket.get("key", { signal: controller.signal }), reason);
    assert.equal(proxy.requests.length, 1);
  });

  it("repeats plain puts and deletions, and no conditional put", async () => {
    failing({ kind: "status", status: 500 }, 1);
    await mustPut(bucket, "repeated", bytesOf("x"));
    assert.equal(proxy.requests.length, 2);
    failing({ kind: "cut" }, 1);
    await bucket.delete(["repeated"]);
    assert.equal(await direct.get("repeated"), undefined);
    proxy.requests.length = 0;
    // The server has stored the object; its answer got lost.
    failing({ kind: "cut" }, 1);
    const outcome = await bucket.put("once", bytesOf("x"), { ifNoneMatch: "*" }).catch(({ obstacle }) =>
      obstacle
    );
    // Deno and Bun send a request again themselves when a connection that they have used before ends.
    assert.equal(outcome, proxy.requests.length === 1 ? "unavailable" : "conflict");
    assert.equal(textOf((await mustGet(direct, "once")).bytes), "x");
  });

  it("does not take its own put for a conflict, nor an error for one", async () => {
    const etag = await mustPut(bucket, "mine", bytesOf("1"));
    failing({ kind: "status", status: 500 });
    assert.equal(await obstacleOf(bucket.put("mine", bytesOf("2"), { ifMatch: etag })), "unavailable");
    assert.equal(textOf((await mustGet(direct, "mine")).bytes), "1");
  });

  it("stores nothing of a body that was damaged on its way", async () => {
    // The digest of the body is signed: whoever changes the body cannot change the digest.
    const other = new TextEncoder().encode("changed on its way");
    const changing = server.bucket({
      fetch: (url, init) => fetch(url, init.body ? { ...init, body: other } : init),
    });
    const outcome = await obstacleOf(changing.put("damaged", bytesOf("as it was meant")));
    assert.notEqual(outcome, "none");
    assert.equal(await direct.get("damaged"), undefined);
  });

  it("reports an object as missing only by a complete answer", async () => {
    assert.equal(await bucket.get("absent"), undefined);
    failing({ kind: "status", status: 404, code: "SomethingElse" });
    assert.equal(await obstacleOf(bucket.get("key")), "denied");
    failing({ kind: "status", status: 304 });
    assert.equal(await obstacleOf(bucket.get("key")), "broken");
  });

  it("refuses a list that is cut or repeats itself", async () => {
    await mustPut(direct, "list/a", bytesOf("a"));
    failing({ kind: "short", bytes: 40 });
    assert.equal(await obstacleOf(keysOf(bucket.list("list/"))), "broken");
    const page = await fetchedList();
    const repeating = server.bucket({ fetch: () => Promise.resolve(new Response(page)) });
    assert.equal(await obstacleOf(keysOf(repeating.list("list/"))), "broken");
  });

  it("is there again when the server is", async () => {
    await proxy.leave();
    assert.equal(await obstacleOf(bucket.get("key")), "unavailable");
    await proxy.comeBack();
    assert.equal(textOf((await mustGet(bucket, "key")).bytes), CONTENT);
  });

  it("is public behind the same faults", async () => {
    // The objects of versitygw are plain files; a proxy shows them as answers of the server to signed reads.
    const open = createPublicBucket(`${proxy.url}/published`, {
      times: { pauseMs: 1 },
      fetch: async (url, init) => {
        const signed = await signedAs(new URL(url).pathname.replace("/published/", ""), init);
        return fetch(url, signed);
      },
    });
    assert.equal(textOf((await mustGet(open, "key", { range: RANGE })).bytes), "01234");
    failing({ kind: "whole" });
    assert.equal(await obstacleOf(open.get("key", { range: RANGE })), "broken");
    failing({ kind: "cut", afterBytes: 100 }, 1);
    assert.equal(textOf((await mustGet(open, "key")).bytes), CONTENT);
  });
});

/** A page of the list that promises another one. */
async function fetchedList(): Promise<string> {
  let text = "";
  const reading = server.bucket({
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      text = await response.clone().text();
      return response;
    },
  });
  await keysOf(reading.list("list/"));
  const next = "<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>";
  return text.replace(/<IsTruncated>false<\/IsTruncated>/, next);
}

/** The signature of a read of a key, added to a request. */
async function signedAs(key: string, init: RequestInit): Promise<RequestInit> {
  let signed: RequestInit = init;
  const capturing = server.bucket({
    endpoint: proxy.url,
    fetch: (_, { headers }) => {
      const all = new Headers(init.headers);
      (headers as Headers).forEach((value, name) => all.set(name, value));
      signed = { ...init, headers: all };
      return Promise.resolve(new Response(null, { status: 404 }));
    },
  });
  await capturing.get(key);
  return signed;
}
