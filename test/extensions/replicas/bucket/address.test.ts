/** Addresses of buckets, and what the environment adds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseBucketAddress } from "../../../../extensions/replicas/bucket/address.ts";
import type { Fetch } from "../../../../extensions/replicas/bucket/http_calls.ts";
import { openBucket } from "../../../../extensions/replicas/bucket/open.ts";
import { createPublicBucket } from "../../../../extensions/replicas/bucket/public.ts";
import { createS3Bucket, type S3Options } from "../../../../extensions/replicas/bucket/s3.ts";
import { bytesOf } from "./suite.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG";
const VARIABLES = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: SECRET };

describe("parseBucketAddress", () => {
  it("reads S3 buckets, public buckets and folders", () => {
    const cases = {
      "s3://name": { kind: "s3", bucket: "name", prefix: "" },
      "s3://name/": { kind: "s3", bucket: "name", prefix: "" },
      "s3://name/a/b/": { kind: "s3", bucket: "name", prefix: "a/b" },
      "s3://name/a?addressing=path": { kind: "s3", bucket: "name", prefix: "a", addressing: "path" },
      "s3://name?addressing=virtual-host": {
        kind: "s3",
        bucket: "name",
        prefix: "",
        addressing: "virtual-host",
      },
      "https://cdn.example.org/radicle": { kind: "public", url: "https://cdn.example.org/radicle" },
      "http://127.0.0.1:8080/": { kind: "public", url: "http://127.0.0.1:8080/" },
      "file:///var/lib/a%20bucket/": { kind: "folder", path: "/var/lib/a bucket" },
      "/var/lib/bucket": { kind: "folder", path: "/var/lib/bucket" },
      "./bucket": { kind: "folder", path: "./bucket" },
    };
    for (const [text, address] of Object.entries(cases)) {
      assert.deepEqual(parseBucketAddress(text), address, text);
    }
  });

  it("refuses everything else, and does not repeat it", () => {
    const wrong = [
      "",
      "/",
      "file:///",
      "file://host/a",
      "s3://",
      "s3:name",
      "s3://key:secret@name/",
      "s3://name/../a",
      "s3://name/.a",
      "s3://name/a//b",
      "s3://name?secret=word",
      "s3://name#a",
      "https://user:secret@example.org/",
      "https://example.org/?secret=1",
      "http://example.org/",
      "ftp://example.org/",
      "gs://name",
      "a\0b",
    ];
    for (const text of wrong) {
      assert.throws(() => parseBucketAddress(text), (error: Error) => {
        assert.ok(error instanceof TypeError, text);
        assert.doesNotMatch(error.message, /secret|example/);
        return true;
      }, text);
    }
  });
});

/** Sends nothing; remembers the requests, and answers that nothing is there. */
function recording(): { readonly fetch: Fetch; readonly sent: Request[] } {
  const sent: Request[] = [];
  const fetch: Fetch = (url, init) => {
    sent.push(new Request(url, { method: init.method!, headers: init.headers! }));
    return Promise.resolve(new Response(null, { status: 404 }));
  };
  return { fetch, sent };
}

describe("openBucket", () => {
  const urlOf = async (text: string, variables = {}) => {
    const { fetch, sent } = recording();
    await openBucket(parseBucketAddress(text), { variables: { ...VARIABLES, ...variables }, fetch }).get(
      "a/b",
    );
    return sent[0]!.url;
  };

  it("takes endpoint and region from the environment", async () => {
    assert.equal(await urlOf("s3://name/p"), "https://name.s3.us-east-1.amazonaws.com/p/a/b");
    assert.equal(await urlOf("s3://name.with.dots"), "https://s3.us-east-1.amazonaws.com/name.with.dots/a/b");
    const AWS_REGION = "eu-central-1";
    assert.equal(await urlOf("s3://name", { AWS_REGION }), "https://name.s3.eu-central-1.amazonaws.com/a/b");
    assert.equal(
      await urlOf("s3://name", { AWS_DEFAULT_REGION: AWS_REGION }),
      "https://name.s3.eu-central-1.amazonaws.com/a/b",
    );
    const AWS_ENDPOINT_URL = "http://127.0.0.1:3900";
    assert.equal(await urlOf("s3://name/p", { AWS_ENDPOINT_URL }), "http://127.0.0.1:3900/name/p/a/b");
    const AWS_ENDPOINT_URL_S3 = "https://s3.example.org/";
    assert.equal(
      await urlOf("s3://name?addressing=virtual-host", { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 }),
      "https://name.s3.example.org/a/b",
    );
    assert.equal(await urlOf("https://cdn.example.org/x/"), "https://cdn.example.org/x/a/b");
  });

  it("signs with the credentials of the environment, and sends no secret", async () => {
    const { fetch, sent } = recording();
    const variables = { ...VARIABLES, AWS_SESSION_TOKEN: "session-token" };
    await openBucket(parseBucketAddress("s3://name"), { variables, fetch }).head("key");
    const { headers } = sent[0]!;
    assert.match(
      headers.get("authorization")!,
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=/,
    );
    assert.equal(headers.get("x-amz-security-token"), "session-token");
    assert.ok(!JSON.stringify([...headers]).includes(SECRET));
  });

  it("says which variable is missing", () => {
    const address = parseBucketAddress("s3://name");
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
      assert.throws(() => openBucket(address, { variables: { ...VARIABLES, [name]: "" } }), {
        name: "TypeError",
        message: `Cannot open a bucket without the variable ${name}`,
      });
    }
    assert.throws(() => openBucket(parseBucketAddress("/folder"), { variables: {} }), TypeError);
  });
});

describe("createS3Bucket", () => {
  const options: S3Options = { bucket: "name", accessKeyId: "AKIDEXAMPLE", secretAccessKey: SECRET };

  it("refuses names, prefixes, regions and endpoints that cannot be, and does not repeat endpoints", () => {
    for (const bucket of ["", "ab", "Upper", "a_b", "a/b", "a..b", "-ab", "x".repeat(64)]) {
      assert.throws(() => createS3Bucket({ ...options, bucket }), TypeError, bucket);
    }
    for (const prefix of ["/a", "a/", "../a"]) {
      assert.throws(() => createS3Bucket({ ...options, prefix }), TypeError);
    }
    for (
      const endpoint of [
        "s3.secret.org",
        "ftp://secret.org",
        "https://me:secret@a.org",
        "https://a.org/?secret",
      ]
    ) {
      assert.throws(() => createS3Bucket({ ...options, endpoint }), (error: Error) => {
        assert.ok(error instanceof TypeError);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    }
    assert.throws(() => createS3Bucket({ ...options, region: "a/b" }), TypeError);
  });

  it("does not follow redirections, which would take the credentials elsewhere", async () => {
    let count = 0;
    const fetch: Fetch = (_, { redirect }) => {
      count++;
      assert.equal(redirect, "manual");
      const headers = { location: "https://elsewhere.example.org/" };
      return Promise.resolve(new Response(null, { status: 307, headers }));
    };
    await assert.rejects(createS3Bucket({ ...options, fetch }).get("a"), (error: Error) => {
      assert.equal((error as { obstacle?: string }).obstacle, "denied");
      assert.doesNotMatch(error.message, /elsewhere|amazonaws|AKID/);
      return true;
    });
    assert.equal(count, 1);
  });

  it("takes no word of an answer but its error code into messages", async () => {
    const body = `<Error><Code>AccessDenied</Code><Message>${SECRET}</Message></Error>`;
    const fetch: Fetch = () => Promise.resolve(new Response(body, { status: 403 }));
    await assert.rejects(createS3Bucket({ ...options, fetch }).get("a"), {
      name: "BucketError",
      obstacle: "denied",
      message: 'Cannot read "a" in the bucket: the server answers 403 AccessDenied',
    });
  });

  it("names a bucket that is not there", async () => {
    const body = "<Error><Code>NoSuchBucket</Code></Error>";
    const fetch: Fetch = () => Promise.resolve(new Response(body, { status: 404 }));
    await assert.rejects(createS3Bucket({ ...options, bucket: "mine", fetch }).get("a"), {
      obstacle: "denied",
      message: 'Cannot read "a" in the bucket: the server has no bucket "mine"; create it first',
    });
  });
});

describe("createPublicBucket", () => {
  it("sends no credentials, and is read only", async () => {
    const { fetch, sent } = recording();
    const bucket = createPublicBucket("https://cdn.example.org/radicle", { fetch });
    assert.equal(await bucket.get("a/b"), undefined);
    assert.equal(sent[0]!.url, "https://cdn.example.org/radicle/a/b");
    assert.equal(sent[0]!.headers.get("authorization"), null);
    await assert.rejects(bucket.put("a", bytesOf("")), { obstacle: "denied" });
    await assert.rejects(bucket.delete(["a"]), { obstacle: "denied" });
    await assert.rejects(bucket.conditionalPuts(), { obstacle: "denied" });
    await assert.rejects(bucket.list("")[Symbol.asyncIterator]().next(), { obstacle: "denied" });
  });
});
