/** A bucket that anybody may read by HTTPS: behind a CDN, or a folder behind a web server; read only. */
import { type Bucket, BucketError } from "../../ports/bucket.ts";
import { publicFolder } from "./address.ts";
import { type BucketTimes, type Fetch, HttpCalls } from "./http_calls.ts";
import { GET_STATUSES, getHeaders, readHeadAnswer, readObject } from "./http_object.ts";
import { checkBucketKey, checkGet } from "./key.ts";

/** Parts of the runtime. */
export interface PublicBucketOptions {
  /** Sends requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined;
  readonly times?: BucketTimes | undefined;
}

/**
 * Opens a public bucket: `get` and `head` alone, without credentials. All other calls are `denied`.
 *
 * @param url Folder of the objects, `https://cdn.example.org/radicle`; `http:` only on this machine.
 * @throws {TypeError} for another URL.
 */
export function createPublicBucket(url: string, { fetch: send, times }: PublicBucketOptions = {}): Bucket {
  const base = publicFolder(url);
  const calls = new HttpCalls(send, times);
  const refuse = () =>
    new BucketError("denied", "A public bucket is read only, and does not list its objects");
  return {
    async get(key, options = {}) {
      checkGet(key, options);
      return await calls.call({
        what: `read "${key}"`,
        isRepeatable: true,
        request: () => ({ url: `${base}${key}`, method: "GET", headers: new Headers(getHeaders(options)) }),
        statuses: GET_STATUSES,
        read: (answer) => readObject(key, options, answer, false),
        signal: options.signal,
      });
    },
    async head(key, { signal } = {}) {
      checkBucketKey(key);
      return await calls.call({
        what: `look at "${key}"`,
        isRepeatable: true,
        request: () => ({ url: `${base}${key}`, method: "HEAD", headers: new Headers() }),
        statuses: [200, 404],
        read: (answer) => readHeadAnswer(key, answer, false),
        signal,
      });
    },
    put: () => Promise.reject(refuse()),
    delete: () => Promise.reject(refuse()),
    // deno-lint-ignore require-yield
    async *list() {
      throw refuse();
    },
    conditionalPuts: () => Promise.reject(refuse()),
  };
}
