/** The content of the lease: whose a bucket is, and which publisher is at work. */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";

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

/** Encodes a lease. */
export function encodeLease(record: LeaseRecord): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(record));
}

/** Decodes a lease of at most `MAX_LEASE_BYTES`. One that is damaged is nobody's. */
export function decodeLease(bytes: Uint8Array): Partial<LeaseRecord> {
  try {
    return v.parse(RecordSchema, JSON.parse(new TextDecoder().decode(bytes))) as Partial<LeaseRecord>;
  } catch {
    return {};
  }
}
