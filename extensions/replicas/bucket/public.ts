/**
 * A bucket that everyone can read over HTTPS, such as objects behind a CDN or a folder behind a web server.
 * It is read only.
 */
import { type Bucket, BucketError } from "./bucket.ts";
import { publicFolder } from "./address.ts";
import { type BucketTimes, type Fetch, HttpCalls } from "./http_calls.ts";
import { createHttpReads } from "./http_object.ts";

/** Options of {@link createPublicBucket}. */
export interface PublicBucketOptions {
  /** Sends requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined;
  readonly times?: BucketTimes | undefined;
}

/**
 * Opens a public bucket. The bucket sends no credentials, and supports only `get` and `head`. All other calls
 * fail as `denied`.
 *
 * @param url URL of the folder with the objects, such as `https://cdn.example.org/radicle`; `http:` is
 *   allowed for this machine only.
 * @throws {TypeError} for a URL that cannot be used.
 */
export function createPublicBucket(url: string, { fetch: send, times }: PublicBucketOptions = {}): Bucket {
  const base = publicFolder(url);
  const calls = new HttpCalls(send, times);
  const refuse = () =>
    new BucketError("denied", "A public bucket is read only, and does not list its objects");
  return {
    ...createHttpReads(
      calls,
      (method, key, headers) => ({ url: `${base}${key}`, method, headers: new Headers(headers) }),
      false,
    ),
    put: () => Promise.reject(refuse()),
    delete: () => Promise.reject(refuse()),
    // deno-lint-ignore require-yield
    async *list() {
      throw refuse();
    },
    conditionalPuts: () => Promise.reject(refuse()),
  };
}
