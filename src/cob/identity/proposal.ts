/**
 * Actions of identities (`xyz.radicle.id`) and proposed identity documents: the checks and members that all
 * generations share.
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

/** A signature as multibase text, decoded to 64 bytes. */
const Signature = v.pipe(
  v.string(),
  v.transform((text) => decodeMultibase(text)),
  v.custom<Uint8Array>((bytes) => bytes instanceof Uint8Array && bytes.length === SIGNATURE_BYTES),
);
const Words = { title: Text, description: v.optional(Text, "") };

/**
 * All actions of an identity. Members are in the order of the real programs. A signature covers the 20 bytes
 * of the id of a document's blob.
 */
export const IdentityAction = v.variant("type", [
  v.object({
    type: v.literal("revision"),
    ...Words,
    blob: OidText,
    parent: nullIfMissing(OidText),
    signature: Signature,
  }),
  // The spelling is right: all programs use it.
  v.object({ type: v.literal("RevisionEdit"), revision: OidText, ...Words }),
  v.object({ type: v.literal("revision.accept"), revision: OidText, signature: Signature }),
  v.object({ type: v.literal("revision.reject"), revision: OidText }),
  v.object({ type: v.literal("revision.redact"), revision: OidText }),
]);

export type IdentityAction = v.InferOutput<typeof IdentityAction>;

/** The action that proposes a document. */
export type ProposeAction = IdentityAction & { type: "revision" };

/** An action with the document and the signature that it refers to. */
export interface IdentityStep {
  readonly action: IdentityAction;
  /** The proposed document; `undefined` when it cannot be read. */
  readonly doc: IdentityDoc | undefined;
  /**
   * Id of the document's content: equal for documents that differ only in spelling. `undefined` without a
   * document.
   */
  readonly content: Oid | undefined;
  /** Whether the action has a signature by its author over the blob of the document. */
  readonly isSigned: boolean;
}

export type Verdict = "accept" | "reject";

/** A proposed identity document, without its state. */
export interface ProposalBase extends EntryMetadata {
  title: string;
  description: string;
  readonly blob: Oid;
  readonly doc: IdentityDoc;
  /** See {@link IdentityStep.content}. */
  readonly content: Oid;
  /** The proposal on which this one builds; null for the first proposal. */
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
 * The first proposal of an identity.
 *
 * @param blob The document from which the repository's id was derived.
 * @throws {Refusal} when the first entry proposes another document, or has more actions.
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
 * The document that a step proposes.
 *
 * @throws {Refusal} `malformed` when the document cannot be read.
 */
export function requireDoc(action: ProposeAction, { doc, content }: IdentityStep): ProposedDoc {
  if (doc === undefined || content === undefined) {
    throw new Refusal("malformed", "The proposed document cannot be read");
  }
  return { action, doc, content };
}

/** Creates a proposal, which its author accepts. */
export function createProposal(
  { id, author, timeSeconds }: EntryMetadata,
  { action: { title, description, blob, parent }, doc, content }: ProposedDoc,
): ProposalBase {
  const verdicts = new Map<NodeId, Verdict>([[author, "accept"]]);
  return { id, author, timeSeconds, title, description, blob, doc, content, parent, verdicts };
}

/**
 * Finds a proposal by its id.
 *
 * @throws {Refusal} `missing` when there is no such proposal.
 */
export function findProposal<P>(proposals: ReadonlyMap<Oid, P>, id: Oid): P {
  const proposal = proposals.get(id);
  if (proposal === undefined) throw new Refusal("missing", `Proposal ${id} was not found`);
  return proposal;
}

/**
 * Counts a vote. A second vote of the same node replaces the first, but its entry is refused.
 *
 * @throws {Refusal} `invalid` for a second vote.
 */
export function castVote({ verdicts }: ProposalBase, author: NodeId, verdict: Verdict): void {
  const isSecond = verdicts.has(author);
  verdicts.set(author, verdict);
  if (isSecond) throw new Refusal("invalid", "The author has voted already");
}

/** The nodes that gave this verdict. */
export function votersOf({ verdicts }: ProposalBase, verdict: Verdict): readonly NodeId[] {
  return [...verdicts].filter(([, one]) => one === verdict).map(([node]) => node);
}

/**
 * Checks that an entry has the same author as a proposal.
 *
 * @throws {Refusal} `denied`
 */
export function requireAuthor(proposal: EntryMetadata, { author }: EntryMetadata): void {
  if (proposal.author !== author) throw new Refusal("denied", "Only its author may change a proposal");
}

export function isDelegate(doc: IdentityDoc, node: NodeId): boolean {
  return doc.delegates.includes(didOfNid(node));
}
