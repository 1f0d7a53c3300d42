/**
 * Schemas of the bodies of sign-in requests (specification, 4.8). The schemas of the bodies for issues and
 * patches are in `src/cob/write/`.
 */
import { base16 } from "@scure/base";
import * as v from "valibot";
import { SIGNATURE_BYTES } from "../keys/ed25519.ts";
import { decodeMultibase } from "../ids/multibase.ts";
import { type NodeId, tryParseNid } from "../ids/nid.ts";
import { parsedBy } from "./queries.ts";

const PublicKey = v.pipe(v.string(), parsedBy<NodeId>(tryParseNid, "Expected a node id"));
const Signature = v.pipe(
  v.string(),
  parsedBy((text) => {
    const bytes = decodeMultibase(text);
    return bytes?.length === SIGNATURE_BYTES ? new Uint8Array(bytes) : undefined;
  }, `Expected a signature of ${SIGNATURE_BYTES} bytes in multibase`),
);

/** Body for sign-in with the key of the node: the signature of `<sessionId>:<publicKey>`, and the node id. */
export const KeyProof = v.object({ sig: Signature, pk: PublicKey });

/** Body for sign-in with a wallet: the signed message, and the signature. */
export const WalletProof = v.object({
  message: v.string(),
  signature: v.pipe(
    v.string(),
    v.regex(/^(?:0x)?[0-9a-fA-F]{130}$/, "Expected 65 bytes in hexadecimal digits"),
    v.transform((text) => base16.decode(text.replace(/^0x/, "").toUpperCase())),
  ),
});
