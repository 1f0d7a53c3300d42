/**
 * Actions of identities (`xyz.radicle.id`), and proposed identity documents: the checks and the members that
 * are alike in all generations.
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

/** A node's vote. */
export type Verdict = "accept" | "reject";

/** A proposed identity document, without its state. */
export interface ProposalBase extends EntryMetadata {
  title: string;
  description: string;
  readonly blob: Oid;
  readonly doc: IdentityDoc;
  /** See {@link IdentityStep.content}. */
  readonly content: Oid;
  /** The proposal that it builds on; none for the first one. */
  readonly parent: Oid | null;
  readonly verdicts: Map<NodeId, Verdict>;
}

/** A document that can be read, and the action that proposes it. */
export interface ProposedDoc {
  readonly action: ProposeAction;
  readonly doc: IdentityDoc;
  readonly content: Oid;
}

/**
 * The proposal that an identity begins with.
 *
 * @param blob The document that the repository has its id from.
 * @throws {Refusal} when the first entry proposes another document, or has more actions.
 */
export function checkInitialProposal(
  { author }: EntryMetadata,
  steps: readonly IdentityStep[],
  blob: Oid,
): ProposedDoc {
  const [first, second] = steps;
  if (first?.action.type !== "revision" || first.action.parent !== null || second !== undefined) {
    throw new Refusal("invalid", "An identity must begin with one document that builds on no other");
  }
  const { doc, content, action, isSigned } = first;
  if (doc === undefined || content === undefined || action.blob !== blob) {
    throw new Refusal("malformed", "The first document is another one");
  }
  if (doc.delegates[0] !== didOfNid(author)) {
    throw new Refusal("denied", "The first delegate is somebody else");
  }
  if (!isSigned) throw new Refusal("malformed", "The first document is not signed by its author");
  return { action, doc, content };
}

/**
 * The document that a step proposes.
 *
 * @throws {Refusal} `malformed` when it cannot be read.
 */
export function requireDoc(action: ProposeAction, { doc, content }: IdentityStep): ProposedDoc {
  if (doc === undefined || content === undefined) {
    throw new Refusal("malformed", "The proposed document cannot be read");
  }
  return { action, doc, content };
}

/** A new proposal, which its author accepts. */
export function createProposal(
  { id, author, timeSeconds }: EntryMetadata,
  { action: { title, description, blob, parent }, doc, content }: ProposedDoc,
): ProposalBase {
  const verdicts = new Map<NodeId, Verdict>([[author, "accept"]]);
  return { id, author, timeSeconds, title, description, blob, doc, content, parent, verdicts };
}

/**
 * The proposal of an id.
 *
 * @throws {Refusal} `missing` when there is no such proposal.
 */
export function findProposal<P>(proposals: ReadonlyMap<Oid, P>, id: Oid): P {
  const proposal = proposals.get(id);
  if (proposal === undefined) throw new Refusal("missing", `Proposal ${id} was not found`);
  return proposal;
}

/**
 * Counts a vote. A second vote of a node replaces the first, but refuses its entry.
 *
 * @throws {Refusal} `invalid` for a second vote.
 */
export function castVote({ verdicts }: ProposalBase, author: NodeId, verdict: Verdict): void {
  const isSecond = verdicts.has(author);
  verdicts.set(author, verdict);
  if (isSecond) throw new Refusal("invalid", "The author has voted already");
}

/** The nodes with a verdict. */
export function votersOf({ verdicts }: ProposalBase, verdict: Verdict): readonly NodeId[] {
  return [...verdicts].filter(([, one]) => one === verdict).map(([node]) => node);
}

/**
 * Checks that an entry has the author of a proposal.
 *
 * @throws {Refusal} `denied`
 */
export function requireAuthor(proposal: EntryMetadata, { author }: EntryMetadata): void {
  if (proposal.author !== author) throw new Refusal("denied", "Only its author may change a proposal");
}

/** Whether a document names a node as delegate. */
export function isDelegate(doc: IdentityDoc, node: NodeId): boolean {
  return doc.delegates.includes(didOfNid(node));
}
