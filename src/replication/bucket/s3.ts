/** A bucket of an S3 server: Amazon S3, Cloudflare R2, Garage, versitygw, MinIO and others. */
import { AwsV4Signer } from "aws4fetch";
import { mapAtOnce } from "../../async/map_at_once.ts";
import { type Bucket, type BucketEntry, BucketError, type BucketPutOptions } from "../../ports/bucket.ts";
import { brokenAnswer, type BucketTimes, type CallRequest, type Fetch, HttpCalls } from "./http_calls.ts";
import { GET_STATUSES, getHeaders, readHeadAnswer, readObject } from "./http_object.ts";
import { checkBucketKey, checkGet, checkKeyPrefix, checkPut, isBucketKey, PROBE_KEY } from "./key.ts";
import { parseListPage } from "./s3_list.ts";

/** Most bytes of a page of a list: 1,000 entries. */
const LIST_LIMIT_BYTES = 4 * 1024 * 1024;

/** Most pages of a list in a row without an entry. */
const EMPTY_PAGE_LIMIT = 10;

/** Objects that are removed at the same time. */
const DELETES_AT_ONCE = 8;

/** SHA-256 of no bytes. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Place of the bucket in a URL: `https://server/bucket/key` or `https://bucket.server/key`. */
export type S3Addressing = "path" | "virtual-host";

/** The place of a bucket and the right to use it. */
export interface S3Options {
  /** Name: 3 to 63 lower-case letters, digits, `-` and `.`. */
  readonly bucket: string;
  /** Beginning of all keys, itself of the form of a key, without a final slash; empty by default. */
  readonly prefix?: string | undefined;
  /** `us-east-1` by default. */
  readonly region?: string | undefined;
  /** URL of the server; Amazon's for the region by default. */
  readonly endpoint?: string | undefined;
  /** `path` by default where an endpoint is given, or the name has a dot; else `virtual-host`. */
  readonly addressing?: S3Addressing | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Token of temporary credentials. */
  readonly sessionToken?: string | undefined;
  /** Sends requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined;
  readonly times?: BucketTimes | undefined;
}

/**
 * Opens a bucket of an S3 server. Nothing is asked before the first call.
 *
 * @example
 * ```ts
 * const bucket = createS3Bucket({
 *   bucket: "radicle",
 *   endpoint: "https://s3.example.org",
 *   region: "garage",
 *   accessKeyId: "GK31c2f218a2e44f485b94239e",
 *   secretAccessKey: "b892c0665f0ada8a4755dae98baa3b133590e11dae3bcc1f9d769d67f16c3835",
 * });
 * ```
 * @throws {TypeError} for a name, prefix or endpoint that cannot be.
 */
export function createS3Bucket(options: S3Options): Bucket {
  const { region = "us-east-1", accessKeyId, secretAccessKey, sessionToken } = options;
  const calls = new HttpCalls(options.fetch, options.times, options.bucket);
  const base = baseOf(options, region);
  const prefix = options.prefix ? `${options.prefix}/` : "";
  /** Keys of signatures: that of the day, and for a moment that of the day before. */
  const signingKeys = new Map<string, ArrayBuffer>();
  let honoured: Promise<boolean> | undefined;

  const bucket: Bucket = {
    async get(key, getOptions = {}) {
      checkGet(key, getOptions);
      return await calls.call({
        what: `read "${key}"`,
        isRepeatable: true,
        request: () => signed("GET", key, getHeaders(getOptions)),
        statuses: GET_STATUSES,
        read: (answer) => readObject(key, getOptions, answer, true),
        signal: getOptions.signal,
      });
    },

    async head(key, { signal } = {}) {
      checkBucketKey(key);
      return await calls.call({
        what: `look at "${key}"`,
        isRepeatable: true,
        request: () => signed("HEAD", key, {}),
        statuses: [200, 404],
        read: (answer) => readHeadAnswer(key, answer, true),
        signal,
      });
    },

    async put(key, bytes, putOptions = {}) {
      checkPut(key, putOptions);
      const { ifMatch, ifNoneMatch, signal } = putOptions;
      const isConditional = ifMatch !== undefined || ifNoneMatch !== undefined;
      signal?.throwIfAborted();
      const digest = await sha256(bytes);
      return await calls.call({
        what: `put "${key}"`,
        isRepeatable: !isConditional,
        request: () => signed("PUT", key, putHeaders(putOptions), { bytes, digest }),
        // 409: another conditional put is under way. 404: there is nothing that could match.
        statuses: isConditional ? [200, 404, 409, 412] : [200],
        read: ({ status, headers }) => {
          if (status !== 200) return "conflict";
          const etag = headers.get("etag");
          if (!etag) throw brokenAnswer(`put "${key}"`, "the server names no tag");
          return { etag };
        },
        signal,
      });
    },

    async delete(keys, { signal } = {}) {
      keys.forEach(checkBucketKey);
      signal?.throwIfAborted();
      await mapAtOnce(keys, DELETES_AT_ONCE, (key) => removeOne(key, signal));
    },

    async *list(below, { signal } = {}) {
      checkKeyPrefix(below);
      let continuation: string | undefined;
      let last = "";
      let emptyPages = 0;
      do {
        const page = await listPage(below, continuation, signal);
        emptyPages = page.entries.length === 0 ? emptyPages + 1 : 0;
        for (const entry of page.entries) {
          // A server that answers a page again would be asked for ever.
          if (entry.key <= last || emptyPages > EMPTY_PAGE_LIMIT) throw unordered();
          last = entry.key;
          const key = entry.key.slice(prefix.length);
          if (entry.key.startsWith(prefix) && isBucketKey(key)) yield { ...entry, key } satisfies BucketEntry;
        }
        if (emptyPages > EMPTY_PAGE_LIMIT) throw unordered();
        continuation = page.continuation;
      } while (continuation !== undefined);
    },

    async conditionalPuts({ signal } = {}) {
      honoured ??= probe().catch((error) => {
        honoured = undefined;
        throw error;
      });
      signal?.throwIfAborted();
      return await honoured;
    },
  };
  return bucket;

  function unordered(): BucketError {
    return new BucketError(
      "broken",
      "Cannot list the bucket: the server does not list keys in ascending order",
    );
  }

  function removeOne(key: string, signal: AbortSignal | undefined): Promise<void> {
    return calls.call({
      what: `remove "${key}"`,
      isRepeatable: true,
      request: () => signed("DELETE", key, {}),
      statuses: [200, 202, 204, 404],
      read: () => {},
      signal,
    });
  }

  function listPage(below: string, continuation: string | undefined, signal: AbortSignal | undefined) {
    const query = new URLSearchParams({
      "list-type": "2",
      "max-keys": "1000",
      "prefix": `${prefix}${below}`,
    });
    if (continuation !== undefined) query.set("continuation-token", continuation);
    return calls.call({
      what: `list "${below}"`,
      isRepeatable: true,
      request: () => signed("GET", `?${query}`, {}),
      statuses: [200],
      read: async (answer) => {
        const xml = new TextDecoder().decode(await answer.body(LIST_LIMIT_BYTES));
        const page = parseListPage(xml);
        if (page === undefined) throw brokenAnswer(`list "${below}"`, "the answer is no list");
        return page;
      },
      signal,
    });
  }

  /** Puts an object that is there already, and one that is another. */
  async function probe(): Promise<boolean> {
    const bytes = new TextEncoder().encode("Xylem tries here whether puts can be conditional.\n");
    const isRefused = async (options: BucketPutOptions) => {
      try {
        return await bucket.put(PROBE_KEY, bytes, options) === "conflict";
      } catch (error) {
        // Status 501: the server knows no such condition, and says so.
        if (error instanceof BucketError && /answers (400|501)/.test(error.message)) return false;
        throw error;
      }
    };
    await isRefused({ ifNoneMatch: "*" });
    return await isRefused({ ifNoneMatch: "*" }) &&
      await isRefused({ ifMatch: '"0123456789abcdef0123456789abcdef"' });
  }

  /** @param key A key, or a query that begins with `?`. */
  async function signed(
    method: CallRequest["method"],
    key: string,
    headers: Record<string, string>,
    body?: { readonly bytes: Uint8Array<ArrayBuffer>; readonly digest: string },
  ): Promise<CallRequest> {
    if (signingKeys.size > 1) signingKeys.clear();
    const signer = new AwsV4Signer({
      method,
      url: key.startsWith("?") ? `${base}${key}` : `${base}${prefix}${key}`,
      headers: { ...headers, "x-amz-content-sha256": body?.digest ?? EMPTY_SHA256 },
      accessKeyId,
      secretAccessKey,
      ...sessionToken && { sessionToken },
      service: "s3",
      region,
      cache: signingKeys,
    });
    const request = await signer.sign();
    return { url: request.url.href, method, headers: request.headers, ...body && { body: body.bytes } };
  }
}

/** URL of the bucket, with a final slash. */
function baseOf(options: S3Options, region: string): string {
  const { bucket, prefix, endpoint } = options;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes("..")) {
    throw new TypeError(`Cannot use ${JSON.stringify(bucket)} as the name of a bucket`);
  }
  if (prefix && !isBucketKey(prefix)) {
    throw new TypeError(`Cannot use ${JSON.stringify(prefix)} as the prefix of a bucket`);
  }
  if (!/^[a-z0-9-]{1,63}$/.test(region)) {
    throw new TypeError("Cannot use this text as the region of a bucket");
  }
  const url = URL.parse(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.search === "" &&
    url.hash === "";
  if (!isPlain) throw new TypeError("Cannot use this text as the endpoint of a bucket: expected an URL");
  const addressing = options.addressing ??
    (endpoint !== undefined || bucket.includes(".") ? "path" : "virtual-host");
  const path = url.pathname.replace(/\/*$/, "/");
  return addressing === "path"
    ? `${url.origin}${path}${bucket}/`
    : `${url.protocol}//${bucket}.${url.host}${path}`;
}

function putHeaders(
  { ifMatch, ifNoneMatch, contentType, cacheControl }: BucketPutOptions,
): Record<string, string> {
  return {
    "content-type": contentType ?? "application/octet-stream",
    ...cacheControl && { "cache-control": cacheControl },
    ...ifMatch && { "if-match": ifMatch },
    ...ifNoneMatch && { "if-none-match": ifNoneMatch },
  };
}

/** SHA-256 in hexadecimal digits. The server refuses a body that was damaged on its way. */
async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
