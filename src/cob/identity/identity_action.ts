/** Actions of identities (`xyz.radicle.id`). */
import * as v from "valibot";
import type { IdentityDoc } from "../../identity/doc.ts";
import { SIGNATURE_BYTES } from "../../identity/ed25519.ts";
import { decodeMultibase } from "../../ids/multibase.ts";
import type { Oid } from "../../ids/oid.ts";
import { nullIfMissing, OidText, Text } from "../entry/fields.ts";

/** Type name of identities in references and manifests. */
export const IDENTITY_TYPE = "xyz.radicle.id";

/** A signature as multibase text, decoded to its 64 bytes. */
const Signature = v.pipe(
  v.string(),
  v.transform((text) => decodeMultibase(text)),
  v.custom<Uint8Array>((bytes) => bytes instanceof Uint8Array && bytes.length === SIGNATURE_BYTES),
);
const Words = { title: Text, description: v.optional(Text, "") };

/**
 * All actions of an identity, members in the order of the real programs. A signature is over the 20 bytes of
 * the id of a document's blob.
 */
export const IdentityAction = v.variant("type", [
  v.object({
    type: v.literal("revision"),
    ...Words,
    blob: OidText,
    parent: nullIfMissing(OidText),
    signature: Signature,
  }),
  // Spelled so by all programs.
  v.object({ type: v.literal("RevisionEdit"), revision: OidText, ...Words }),
  v.object({ type: v.literal("revision.accept"), revision: OidText, signature: Signature }),
  v.object({ type: v.literal("revision.reject"), revision: OidText }),
  v.object({ type: v.literal("revision.redact"), revision: OidText }),
]);

/** The forms of {@link IdentityAction}. */
export type IdentityAction = v.InferOutput<typeof IdentityAction>;

/** The action that proposes a document. */
export type ProposeAction = IdentityAction & { type: "revision" };

/** An action with the document and the signature that it refers to. */
export interface IdentityStep {
  readonly action: IdentityAction;
  /** The proposed document; `undefined` when it cannot be read. */
  readonly doc: IdentityDoc | undefined;
  /**
   * Id of the document's content: equal for documents that differ in spelling only; `undefined` without a
   * document.
   */
  readonly content: Oid | undefined;
  /** Whether the action's signature is that of its author, over the blob of the document. */
  readonly isSigned: boolean;
}
