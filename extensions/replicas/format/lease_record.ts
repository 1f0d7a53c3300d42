/** The content of the lease object: the node that owns a bucket, and the active publisher. */
import * as v from "valibot";
import type { NodeId } from "../../../src/mod.ts";
import { LEASE_KEY, MAX_LEASE_BYTES } from "./keys.ts";
import type { BucketDocument } from "./sealed_json.ts";

export interface LeaseRecord {
  /** The node that owns the bucket. It is the first node that published into the bucket. */
  readonly nodeId?: NodeId | undefined;
  /** The publisher that holds the lease; null when no publisher holds it. */
  readonly holder: string | null;
  /** Number of the lease. It grows with each new holder. */
  readonly number: number;
  readonly beat: number;
}

const Text = v.fallback(v.optional(v.string()), undefined);
const Count = v.fallback(v.optional(v.pipe(v.number(), v.safeInteger())), undefined);
/** A member is left out if its value has the wrong type. */
const RecordSchema = v.object({ nodeId: Text, holder: Text, number: Count, beat: Count });

/** The document of the lease. A damaged lease is decoded as a lease without a holder. */
export const LEASE: BucketDocument<Partial<LeaseRecord>> & {
  readonly encode: (record: LeaseRecord) => Uint8Array<ArrayBuffer>;
} = {
  key: LEASE_KEY,
  limitBytes: MAX_LEASE_BYTES,
  encode: (record) => new TextEncoder().encode(JSON.stringify(record)),
  decode(bytes) {
    try {
      return v.parse(RecordSchema, JSON.parse(new TextDecoder().decode(bytes))) as Partial<LeaseRecord>;
    } catch {
      return {};
    }
  },
};
