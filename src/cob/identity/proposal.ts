/**
 * Actions of identities (`xyz.radicle.id`) and proposed identity documents. Contains the checks and the
 * fields that all generations of the Radicle programs share.
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

/** Schema of a signature, which is multibase text. The output is its 64 bytes. */
const Signature = v.pipe(
  v.string(),
  v.transform((text) => decodeMultibase(text)),
  v.custom<Uint8Array>((bytes) => bytes instanceof Uint8Array && bytes.length === SIGNATURE_BYTES),
);
const Words = { title: Text, description: v.optional(Text, "") };

/**
 * Schema of all actions of an identity. The properties are in the same order as in the Radicle programs. A
 * signature signs the 20 bytes of the id of the document's blob.
 */
export const IdentityAction = v.variant("type", [
  v.object({
    type: v.literal("revision"),
    ...Words,
    blob: OidText,
    parent: nullIfMissing(OidText),
    signature: Signature,
  }),
  // All Radicle programs spell this action type in upper camel case, unlike the other types.
  v.object({ type: v.literal("RevisionEdit"), revision: OidText, ...Words }),
  v.object({ type: v.literal("revision.accept"), revision: OidText, signature: Signature }),
  v.object({ type: v.literal("revision.reject"), revision: OidText }),
  v.object({ type: v.literal("revision.redact"), revision: OidText }),
]);

export type IdentityAction = v.InferOutput<typeof IdentityAction>;

/** The action that proposes a document. */
export type ProposeAction = IdentityAction & { type: "revision" };

/** An action with the document that it refers to, and the result of verifying its signature. */
export interface IdentityStep {
  readonly action: IdentityAction;
  /** The proposed document; `undefined` when it cannot be read. */
  readonly doc: IdentityDoc | undefined;
  /**
   * Id of the content of the document. Documents with the same meaning have the same id, for example
   * documents that differ only in the order of their properties. The id is `undefined` without a document.
   */
  readonly content: Oid | undefined;
  /** Whether the action has a valid signature by its author over the id of the document's blob. */
  readonly isSigned: boolean;
}

export type Verdict = "accept" | "reject";

/** The properties of a proposed identity document that do not depend on its state. */
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

/** A readable document, and the action that proposes it. */
export interface ProposedDoc {
  readonly action: ProposeAction;
  readonly doc: IdentityDoc;
  readonly content: Oid;
}

/**
 * Checks the first entry of an identity and returns the proposal in it.
 *
 * @param blob Id of the document from which the repository's id was derived.
 * @throws {Refusal} when the entry proposes another document, has further actions, or is not validly signed
 * by the first delegate.
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
 * Counts a vote. A second vote by the same node replaces the first vote, but the entry of the second vote is
 * refused.
 *
 * @throws {Refusal} `invalid` for a second vote.
 */
export function castVote({ verdicts }: ProposalBase, author: NodeId, verdict: Verdict): void {
  const isSecond = verdicts.has(author);
  verdicts.set(author, verdict);
  if (isSecond) throw new Refusal("invalid", "The author has voted already");
}

/** Returns the nodes that voted for this verdict. */
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
