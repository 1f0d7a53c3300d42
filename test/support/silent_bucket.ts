/** A bucket that can stop answering. Then a read ends only with its signal. */
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";

/** A bucket, and whether it answers. */
export interface SilentBucket {
  readonly bucket: Bucket;
  /** Whether reads get no answer from now on. */
  isSilent: boolean;
  /** Whether reads do not even end with their signal. */
  dropsSignals: boolean;
  /** Reads without an answer. */
  readonly underWay: number;
}

/** Wraps a bucket so that it can stop answering. */
export function silentBucket(bucket: Bucket): SilentBucket {
  let underWay = 0;
  const silent = {
    isSilent: false,
    dropsSignals: false,
    get underWay() {
      return underWay;
    },
    bucket: {
      ...bucket,
      get(key, options) {
        if (!silent.isSilent) return bucket.get(key, options);
        underWay++;
        return new Promise((_, reject) => {
          if (silent.dropsSignals) return;
          options?.signal?.addEventListener("abort", () => {
            underWay--;
            reject(options.signal?.reason);
          });
        });
      },
    } satisfies Bucket as Bucket,
  };
  return silent;
}
