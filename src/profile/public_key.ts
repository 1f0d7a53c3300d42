/**
 * Reads `keys/radicle.pub`: an Ed25519 public key in OpenSSH's format. The file is one line with type, base64
 * and an optional comment (RFC 4253, 6.6; RFC 8709, 4).
 */
import { base64 } from "@scure/base";
import { formatNid, type NodeId } from "../ids/nid.ts";
import { decodePublicBlob, KEY_TYPE } from "../keys/ssh_wire.ts";
import { ProfileError } from "./config.ts";

/**
 * Parses a public key file and returns the node id.
 *
 * @throws {ProfileError} when the file is not exactly one Ed25519 key.
 */
export function nodeIdOfPublicKey(text: string): NodeId {
  const [type, encoded = ""] = text.trim().split(/[ \t]+/);
  const publicKey = type === KEY_TYPE ? decode(encoded) : undefined;
  if (publicKey !== undefined) return formatNid(publicKey);
  throw new ProfileError("keys/radicle.pub holds no Ed25519 public key in OpenSSH format");
}

function decode(text: string): Uint8Array | undefined {
  try {
    return decodePublicBlob(new Uint8Array(base64.decode(text)));
  } catch {
    return undefined;
  }
}
