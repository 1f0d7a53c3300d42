/** miniflare, which runs workerd. It is installed apart from the dependencies of the project. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { R2LikeBucket } from "../../extensions/replicas/bucket/r2.ts";
import { CONSUMER } from "./consumer.ts";

/** A bucket, with the metadata that R2 keeps of an object. */
interface MiniflareBucket extends R2LikeBucket {
  put: R2LikeBucket["put"] & PutWithMetadata;
}

type PutWithMetadata = (
  key: string,
  value: string | Uint8Array,
  options?: { customMetadata: Record<string, string> },
) => Promise<unknown>;

/** A running worker: the members that the tests need. */
export interface Miniflare {
  dispatchFetch(url: string, init?: object): Promise<Response>;
  getR2Bucket(name: string): Promise<MiniflareBucket>;
  /** Its address. */
  readonly ready: Promise<URL>;
  dispose(): Promise<void>;
}

const installed = createRequire(join(CONSUMER, "program.js"))("miniflare") as {
  Miniflare: new (options: object) => Miniflare;
};

/** Starts a worker with the options of miniflare. */
export function startMiniflare(options: object): Miniflare {
  return new installed.Miniflare(options);
}
