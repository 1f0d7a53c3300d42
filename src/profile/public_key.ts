/**
 * `keys/radicle.pub`: an Ed25519 public key in OpenSSH's format, one line of type, base64 and an optional
 * comment (RFC 4253, 6.6; RFC 8709, 4).
 */
import { base64 } from "@scure/base";
import { formatNid, type NodeId, PUBLIC_KEY_BYTES } from "../ids/nid.ts";
import { ProfileError } from "./config.ts";

const TYPE = "ssh-ed25519";

/** Prefix of every Ed25519 key: the type, and the length of the key. Lengths are four bytes, big-endian. */
const PREFIX = Uint8Array.of(
  0,
  0,
  0,
  TYPE.length,
  ...new TextEncoder().encode(TYPE),
  0,
  0,
  0,
  PUBLIC_KEY_BYTES,
);

/**
 * Parses a public key file and returns the node id.
 *
 * @throws {ProfileError} for anything but one Ed25519 key.
 */
export function nodeIdOfPublicKey(text: string): NodeId {
  const [type, encoded] = text.trim().split(/[ \t]+/);
  const blob = type === TYPE && encoded !== undefined ? decode(encoded) : undefined;
  if (blob?.length !== PREFIX.length + PUBLIC_KEY_BYTES || PREFIX.some((byte, i) => blob[i] !== byte)) {
    throw new ProfileError("keys/radicle.pub holds no Ed25519 public key in OpenSSH format");
  }
  return formatNid(blob.subarray(PREFIX.length));
}

function decode(text: string): Uint8Array | undefined {
  try {
    return base64.decode(text);
  } catch {
    return undefined;
  }
}
