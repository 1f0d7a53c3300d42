/** The content of the lease: the node that owns a bucket, and the active publisher. */
import * as v from "valibot";
import type { NodeId } from "../../../src/mod.ts";
import { LEASE_KEY, MAX_LEASE_BYTES } from "./keys.ts";
import type { BucketDocument } from "./sealed_json.ts";

export interface LeaseRecord {
  /** The node that owns the bucket: the first one to publish into it. */
  readonly nodeId?: NodeId | undefined;
  /** The publisher that has the lease; null when no publisher has it. */
  readonly holder: string | null;
  /** Grows with each new holder. */
  readonly number: number;
  readonly beat: number;
}

const Text = v.fallback(v.optional(v.string()), undefined);
const Count = v.fallback(v.optional(v.pipe(v.number(), v.safeInteger())), undefined);
/** Members of another form are left out. */
const RecordSchema = v.object({ nodeId: Text, holder: Text, number: Count, beat: Count });

/** The document of the lease. A damaged lease has no holder. */
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
