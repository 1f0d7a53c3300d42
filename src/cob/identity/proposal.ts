/**
 * Actions of identities (`xyz.radicle.id`) and proposed identity documents, with the checks and the
 * properties that all generations of Radicle programs share.
 */
import * as v from "valibot";
import type { IdentityDoc } from "../../identity/doc.ts";
import { didOfNid, type NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { type EntryMetadata, Refusal } from "../op.ts";
import { SIGNATURE_BYTES } from "../../keys/ed25519.ts";
import { decodeMultibase } from "../../ids/multibase.ts";
import { nullIfMissing, OidText, Text } from "../entry/fields.ts";

/** Type name of identities in references and manifests. */
export const IDENTITY_TYPE = "xyz.radicle.id";

/** Schema of a signature in multibase. The output is the signature as 64 bytes. */
const Signature = v.pipe(
  v.string(),
  v.transform((text) => decodeMultibase(text)),
  v.custom<Uint8Array>((bytes) => bytes instanceof Uint8Array && bytes.length === SIGNATURE_BYTES),
);
const Words = { title: Text, description: v.optional(Text, "") };

/**
 * Schema of all actions of an identity, with the properties in the order of the Radicle programs. `signature`
 * signs the 20 bytes of the object id of the document's blob.
 */
export const IdentityAction = v.variant("type", [
  v.object({
    type: v.literal("revision"),
    ...Words,
    blob: OidText,
    parent: nullIfMissing(OidText),
    signature: Signature,
  }),
  // All Radicle programs spell this type in upper camel case, unlike the types of the other actions.
  v.object({ type: v.literal("RevisionEdit"), revision: OidText, ...Words }),
  v.object({ type: v.literal("revision.accept"), revision: OidText, signature: Signature }),
  v.object({ type: v.literal("revision.reject"), revision: OidText }),
  v.object({ type: v.literal("revision.redact"), revision: OidText }),
]);

export type IdentityAction = v.InferOutput<typeof IdentityAction>;

export type ProposeAction = IdentityAction & { type: "revision" };

/**
 * An action, the document to which the action refers, and the result of verifying the signature in the
 * action.
 */
export interface IdentityStep {
  readonly action: IdentityAction;
  /** The proposed document; `undefined` when it cannot be read. */
  readonly doc: IdentityDoc | undefined;
  /**
   * Id of the content of `doc`; `undefined` without a document. Documents with the same meaning have the same
   * id, even if the order of their properties differs.
   */
  readonly content: Oid | undefined;
  /** Whether the action has a valid signature of its author over the id of the document's blob. */
  readonly isSigned: boolean;
}

export type Verdict = "accept" | "reject";

/** The properties of a proposed identity document that all generations of Radicle programs share. */
export interface ProposalBase extends EntryMetadata {
  title: string;
  description: string;
  readonly blob: Oid;
  readonly doc: IdentityDoc;
  /** Id of the content of the document, see {@link IdentityStep.content}. */
  readonly content: Oid;
  /** The proposal on which this proposal builds; null for the first proposal. */
  readonly parent: Oid | null;
  readonly verdicts: Map<NodeId, Verdict>;
}

/** A readable document, and the action that proposes the document. */
export interface ProposedDoc {
  readonly action: ProposeAction;
  readonly doc: IdentityDoc;
  readonly content: Oid;
}

/**
 * Checks the first entry of an identity, and returns the document that the entry proposes.
 *
 * @param blob Id of the document from which the repository's id was derived.
 * @throws {Refusal} when the entry proposes another document, has further actions, or is not validly signed
 *   by the first delegate.
 */
export function checkInitialProposal(
  { author }: EntryMetadata,
  steps: readonly IdentityStep[],
  blob: Oid,
): ProposedDoc {
  const [first, second] = steps;
  if (first?.action.type !== "revision" || first.action.parent !== null || second !== undefined) {
    throw new Refusal("invalid", "An identity must begin with one document that has no parent");
  }
  const { doc, content, action, isSigned } = first;
  if (doc === undefined || content === undefined || action.blob !== blob) {
    throw new Refusal("malformed", "The first document does not match the repository id");
  }
  if (doc.delegates[0] !== didOfNid(author)) {
    throw new Refusal("denied", "The first delegate is not the author");
  }
  if (!isSigned) throw new Refusal("malformed", "The first document is not signed by its author");
  return { action, doc, content };
}

/**
 * Returns the document that an action proposes.
 *
 * @throws {Refusal} `malformed` when the document cannot be read.
 */
export function requireDoc(action: ProposeAction, { doc, content }: IdentityStep): ProposedDoc {
  if (doc === undefined || content === undefined) {
    throw new Refusal("malformed", "The proposed document cannot be read");
  }
  return { action, doc, content };
}

/** Creates a proposal that its author has accepted. */
export function createProposal(
  { id, author, timeSeconds }: EntryMetadata,
  { action: { title, description, blob, parent }, doc, content }: ProposedDoc,
): ProposalBase {
  const verdicts = new Map<NodeId, Verdict>([[author, "accept"]]);
  return { id, author, timeSeconds, title, description, blob, doc, content, parent, verdicts };
}

export function findProposal<P>(proposals: ReadonlyMap<Oid, P>, id: Oid): P {
  const proposal = proposals.get(id);
  if (proposal === undefined) throw new Refusal("missing", `Proposal ${id} was not found`);
  return proposal;
}

/**
 * Records a vote. If a node votes again, the second vote replaces the first vote, but the entry of the second
 * vote is refused.
 *
 * @throws {Refusal} `invalid` for a second vote.
 */
export function castVote({ verdicts }: ProposalBase, author: NodeId, verdict: Verdict): void {
  const isSecond = verdicts.has(author);
  verdicts.set(author, verdict);
  if (isSecond) throw new Refusal("invalid", "The author has voted already");
}

export function votersOf({ verdicts }: ProposalBase, verdict: Verdict): readonly NodeId[] {
  return [...verdicts].filter(([, one]) => one === verdict).map(([node]) => node);
}

/**
 * Checks that the author of an entry is the author of a proposal.
 *
 * @throws {Refusal} `denied` when the authors differ.
 */
export function requireAuthor(proposal: EntryMetadata, { author }: EntryMetadata): void {
  if (proposal.author !== author) throw new Refusal("denied", "Only its author may change a proposal");
}

export function isDelegate(doc: IdentityDoc, node: NodeId): boolean {
  return doc.delegates.includes(didOfNid(node));
}
