/** A bucket on an S3 server: Amazon S3, Cloudflare R2, Garage, versitygw, MinIO and others. */
import { AwsV4Signer } from "aws4fetch";
import { mapAtOnce } from "../../../src/mod.ts";
import {
  type Bucket,
  type BucketCallOptions,
  type BucketEntry,
  BucketError,
  type BucketPutOptions,
} from "./bucket.ts";
import { brokenAnswer, type BucketTimes, type CallRequest, type Fetch, HttpCalls } from "./http_calls.ts";
import { createHttpReads } from "./http_object.ts";
import { checkBucketKey, checkKeyPrefix, checkPut, isBucketKey, PROBE_KEY } from "./key.ts";
import { parseListPage } from "./s3_list.ts";

/** Maximum size of a page of a list, in bytes. A page has 1,000 entries. */
const LIST_LIMIT_BYTES = 4 * 1024 * 1024;

/** Maximum number of consecutive pages of a list that have no entry. */
const EMPTY_PAGE_LIMIT = 10;

/** Maximum number of objects that are removed at the same time. */
const DELETES_AT_ONCE = 8;

/** Statuses with which a server refuses a conditional put because it does not support conditions. */
const UNKNOWN_CONDITION = [400, 501];

/** SHA-256 of an empty body. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Position of the bucket's name in a URL: `path` for `https://server/bucket/key`, `virtual-host` for
 * `https://bucket.server/key`.
 */
export type S3Addressing = "path" | "virtual-host";

/** The location of a bucket, and the credentials to use it. */
export interface S3Options {
  /** Name of the bucket: 3 to 63 lower-case letters, digits, `-` and `.`. */
  readonly bucket: string;
  /** Prefix of all keys. It must be a valid key, without a final slash. Empty by default. */
  readonly prefix?: string | undefined;
  /** `us-east-1` by default. */
  readonly region?: string | undefined;
  /** URL of the server; by default Amazon's URL for the region. */
  readonly endpoint?: string | undefined;
  /** By default `path` if an endpoint is given or the name contains a dot, otherwise `virtual-host`. */
  readonly addressing?: S3Addressing | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Session token; needed for temporary credentials only. */
  readonly sessionToken?: string | undefined;
  /** Sends requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined;
  readonly times?: BucketTimes | undefined;
}

/**
 * Opens a bucket of an S3 server. Nothing is sent before the first call of the bucket.
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
 * @throws {TypeError} for a name, prefix, region or endpoint that cannot be used.
 */
export function createS3Bucket(options: S3Options): Bucket {
  return new S3Bucket(options);
}

class S3Bucket implements Bucket {
  readonly get: Bucket["get"];
  readonly head: Bucket["head"];
  readonly #calls: HttpCalls;
  /** Prefix of all keys, with a final slash, or empty. */
  readonly #prefix: string;
  readonly #base: string;
  readonly #region: string;
  readonly #credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /**
   * Cached signing keys. They change each day, so the map may contain the key of the previous day for a
   * moment.
   */
  readonly #signingKeys = new Map<string, ArrayBuffer>();
  #honoured: Promise<boolean> | undefined;

  constructor(options: S3Options) {
    const { region = "us-east-1", accessKeyId, secretAccessKey, sessionToken } = options;
    this.#region = region;
    this.#base = baseOf(options, region);
    this.#prefix = options.prefix ? `${options.prefix}/` : "";
    this.#credentials = { accessKeyId, secretAccessKey, ...sessionToken && { sessionToken } };
    this.#calls = new HttpCalls(options.fetch, options.times, options.bucket);
    ({ get: this.get, head: this.head } = createHttpReads(
      this.#calls,
      (method, key, headers) => this.#sign(method, key, headers),
      true,
    ));
  }

  /**
   * @param unknown Statuses that mean that the server does not support conditions. For these statuses the
   *   call returns an empty tag.
   */
  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    options: BucketPutOptions = {},
    unknown: readonly number[] = [],
  ): Promise<{ readonly etag: string } | "conflict"> {
    checkPut(key, options);
    const { ifMatch, ifNoneMatch, signal } = options;
    const isConditional = ifMatch !== undefined || ifNoneMatch !== undefined;
    signal?.throwIfAborted();
    const digest = await sha256(bytes);
    return await this.#calls.call({
      what: `put "${key}"`,
      isRepeatable: !isConditional,
      request: () => this.#sign("PUT", key, putHeaders(options), { bytes, digest }),
      // 409 means that another conditional put is in progress. 404 means that there is no object that could
      // match.
      statuses: [200, ...isConditional ? [404, 409, 412] : [], ...unknown],
      read: ({ status, headers }) => {
        if (unknown.includes(status)) return { etag: "" };
        if (status !== 200) return "conflict";
        const etag = headers.get("etag");
        if (!etag) throw brokenAnswer(`put "${key}"`, "the server names no tag");
        return { etag };
      },
      signal,
    });
  }

  async delete(keys: readonly string[], { signal }: BucketCallOptions = {}) {
    keys.forEach(checkBucketKey);
    signal?.throwIfAborted();
    await mapAtOnce(keys, DELETES_AT_ONCE, (key) =>
      this.#calls.call({
        what: `remove "${key}"`,
        isRepeatable: true,
        request: () => this.#sign("DELETE", key, {}),
        statuses: [200, 202, 204, 404],
        read: () => {},
        signal,
      }));
  }

  async *list(below: string, { signal }: BucketCallOptions = {}) {
    checkKeyPrefix(below);
    let continuation: string | undefined;
    let last = "";
    let emptyPages = 0;
    do {
      const page = await this.#listPage(below, continuation, signal);
      emptyPages = page.entries.length === 0 ? emptyPages + 1 : 0;
      for (const entry of page.entries) {
        // Without this check, this loop would never end if a server repeated a page.
        if (entry.key <= last || emptyPages > EMPTY_PAGE_LIMIT) throw unordered();
        last = entry.key;
        const key = entry.key.slice(this.#prefix.length);
        if (entry.key.startsWith(this.#prefix) && isBucketKey(key)) {
          yield { ...entry, key } satisfies BucketEntry;
        }
      }
      if (emptyPages > EMPTY_PAGE_LIMIT) throw unordered();
      continuation = page.continuation;
    } while (continuation !== undefined);
  }

  async conditionalPuts({ signal }: BucketCallOptions = {}) {
    this.#honoured ??= this.#probe().catch((error) => {
      this.#honoured = undefined;
      throw error;
    });
    signal?.throwIfAborted();
    return await this.#honoured;
  }

  #listPage(below: string, continuation: string | undefined, signal: AbortSignal | undefined) {
    const query = new URLSearchParams({
      "list-type": "2",
      "max-keys": "1000",
      "prefix": `${this.#prefix}${below}`,
    });
    if (continuation !== undefined) query.set("continuation-token", continuation);
    return this.#calls.call({
      what: `list "${below}"`,
      isRepeatable: true,
      request: () => this.#sign("GET", `?${query}`, {}),
      statuses: [200],
      read: async (answer) => {
        const xml = new TextDecoder().decode(await answer.body(LIST_LIMIT_BYTES));
        const page = parseListPage(xml);
        if (page === undefined) throw brokenAnswer(`list "${below}"`, "the answer is not a list");
        return page;
      },
      signal,
    });
  }

  /**
   * Tests whether the server honours the conditions of puts. It puts an object that exists, first with
   * `If-None-Match: *` and then with an `If-Match` that does not match. A server that honours conditions
   * responds to both puts with a conflict.
   */
  async #probe(): Promise<boolean> {
    const bytes = new TextEncoder().encode("Xylem tests here whether puts can be conditional.\n");
    const put = (options: BucketPutOptions) => this.put(PROBE_KEY, bytes, options, UNKNOWN_CONDITION);
    await put({ ifNoneMatch: "*" });
    return await put({ ifNoneMatch: "*" }) === "conflict" &&
      await put({ ifMatch: '"0123456789abcdef0123456789abcdef"' }) === "conflict";
  }

  /**
   * Returns a signed request.
   *
   * @param key A key, or a query that begins with `?`.
   */
  async #sign(
    method: CallRequest["method"],
    key: string,
    headers: Record<string, string>,
    body?: { readonly bytes: Uint8Array<ArrayBuffer>; readonly digest: string },
  ): Promise<CallRequest> {
    if (this.#signingKeys.size > 1) this.#signingKeys.clear();
    const signer = new AwsV4Signer({
      ...this.#credentials,
      method,
      url: key.startsWith("?") ? `${this.#base}${key}` : `${this.#base}${this.#prefix}${key}`,
      headers: { ...headers, "x-amz-content-sha256": body?.digest ?? EMPTY_SHA256 },
      service: "s3",
      region: this.#region,
      cache: this.#signingKeys,
    });
    const request = await signer.sign();
    return { url: request.url.href, method, headers: request.headers, ...body && { body: body.bytes } };
  }
}

function unordered(): BucketError {
  return new BucketError(
    "broken",
    "Cannot list the bucket: the server does not list keys in ascending order",
  );
}

/**
 * Returns the URL of the bucket, with a final slash.
 *
 * @throws {TypeError} for options that cannot be used.
 */
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
  if (!isPlain) throw new TypeError("Cannot use this text as the endpoint of a bucket: expected a URL");
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

/**
 * Returns the SHA-256 in hexadecimal digits. A request contains this digest, so that the server refuses a
 * body that was damaged in transit.
 */
async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
