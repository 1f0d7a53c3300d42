/** Writes the data types of SSH (RFC 4251, 5), which keys, agents and signatures use. */
import { joinBytes } from "./bytes.ts";

const encoder = new TextEncoder();

/** A value to encode. A number is encoded in 4 bytes, and text and bytes as strings with a length prefix. */
export type SshValue = number | string | Uint8Array;

export function sshBytes(...values: readonly SshValue[]): Uint8Array<ArrayBuffer> {
  return joinBytes(values.flatMap((value) => {
    if (typeof value === "number") return [uint32(value)];
    const bytes = typeof value === "string" ? encoder.encode(value) : value;
    return [uint32(bytes.length), bytes];
  }));
}

function uint32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}
