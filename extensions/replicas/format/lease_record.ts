/** The content of the lease: whose a bucket is, and which publisher is at work. */
import * as v from "valibot";
import type { NodeId } from "../../../src/ids/nid.ts";
import { LEASE_KEY, MAX_LEASE_BYTES } from "./keys.ts";
import type { BucketDocument } from "./sealed_json.ts";

/** The content of the object. */
export interface LeaseRecord {
  /** The node whose bucket it is; the first one keeps it. */
  readonly nodeId?: NodeId | undefined;
  /** The publisher that has the lease; null when nobody has it. */
  readonly holder: string | null;
  /** Grows with each new holder. */
  readonly number: number;
  readonly beat: number;
}

const Text = v.fallback(v.optional(v.string()), undefined);
const Count = v.fallback(v.optional(v.pipe(v.number(), v.safeInteger())), undefined);
/** Members that cannot be understood are left out. */
const RecordSchema = v.object({ nodeId: Text, holder: Text, number: Count, beat: Count });

/** The document of the lease. One that is damaged is nobody's. */
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
