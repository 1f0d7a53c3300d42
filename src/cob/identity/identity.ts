/** Identities as the newest programs evaluate them: proposals of identity documents, the votes on them, and which of them is in force. */
import * as v from "valibot";
import { SIGNATURE_BYTES } from "../../identity/ed25519.ts";
import type { IdentityDoc } from "../../identity/doc.ts";
import { didOfNid } from "../../ids/did.ts";
import { decodeMultibase } from "../../ids/multibase.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { nullIfMissing, OidText, Text } from "../entry/fields.ts";
import type { EntryMetadata } from "../op.ts";
import { Refusal } from "../refusal.ts";

/** Type name of identities in references and manifests. */
export const IDENTITY_TYPE = "xyz.radicle.id";

/** A signature as multibase text; its 64 bytes come out. */
const Signature = v.pipe(
  v.string(),
  v.transform((text) => decodeMultibase(text)),
  v.custom<Uint8Array>((bytes) => bytes instanceof Uint8Array && bytes.length === SIGNATURE_BYTES),
);
const Words = { title: Text, description: v.optional(Text, "") };

/** Everything that can be done to an identity, members in the order of the real programs. Signatures are of the 20 bytes of a document's blob id. */
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

/**
 * State of a proposal: open to votes, in force (or having been so), voted down or, by way of what it builds on or competes with, without a chance,
 * withdrawn.
 */
export type ProposalState =
  | "active"
  | "accepted"
  | { readonly rejected: "Vote" | "Parent" | { readonly Sibling: Oid } }
  | { readonly redacted: "Author" | "Parent" };

/** A proposed identity document. */
export interface Proposal extends EntryMetadata {
  title: string;
  description: string;
  readonly blob: Oid;
  readonly doc: IdentityDoc;
  /** See {@link IdentityStep.content}. */
  readonly content: Oid;
  /** The proposal that it builds on; the first one has none. */
  readonly parent: Oid | null;
  state: ProposalState;
  readonly verdicts: Map<NodeId, "accept" | "reject">;
  readonly children: Oid[];
}

/** An identity. Steps change it in place. */
export interface Identity {
  readonly root: Oid;
  /** The proposal in force. */
  current: Oid;
  readonly proposals: Map<Oid, Proposal>;
  /** Entries that had their turn, one for each of their actions. */
  readonly timeline: Oid[];
}

/** An action with what had to be looked up for it. */
export interface IdentityStep {
  readonly action: IdentityAction;
  /** The proposed document; `undefined` when it cannot be read. */
  readonly doc: IdentityDoc | undefined;
  /** The same for documents that say the same, however they are spelled; `undefined` when there is none. */
  readonly content: Oid | undefined;
  /** Whether the action's signature is the author's, over the blob that it is about. */
  readonly isSigned: boolean;
}

/**
 * The identity that its first entry founds; `blob` is the one that gave the repository its id.
 *
 * @throws {Refusal} when it founds none.
 */
export function initIdentity(metadata: EntryMetadata, steps: readonly IdentityStep[], blob: Oid): Identity {
  const { action, doc, content } = checkInitialProposal(metadata, steps, blob);
  const proposal = createProposal(metadata, action, doc, content, "accepted");
  return {
    root: metadata.id,
    current: metadata.id,
    proposals: new Map([[metadata.id, proposal]]),
    timeline: [metadata.id],
  };
}

/**
 * The proposal with which an identity begins, in all generations.
 *
 * @throws {Refusal} when it is none.
 */
export function checkInitialProposal(
  metadata: EntryMetadata,
  steps: readonly IdentityStep[],
  blob: Oid,
): { action: IdentityAction & { type: "revision" }; doc: IdentityDoc; content: Oid } {
  const [first, second] = steps;
  if (first?.action.type !== "revision" || first.action.parent !== null || second !== undefined) {
    throw new Refusal("invalid", "An identity must begin with one document that builds on no other");
  }
  const { doc, content, action, isSigned } = first;
  if (doc === undefined || content === undefined || action.blob !== blob) {
    throw new Refusal("malformed", "The first document is another one");
  }
  if (doc.delegates[0] !== didOfNid(metadata.author)) {
    throw new Refusal("denied", "The first delegate is somebody else");
  }
  if (!isSigned) throw new Refusal("malformed", "The first document is not signed by its author");
  return { action, doc, content };
}

/**
 * Applies an action. An edit of a proposal that is no longer open is passed over if `isConcurrent`: its author may not have known.
 *
 * @throws {Refusal} when the author may not do that, or it cannot be done.
 */
export function applyToIdentity(
  identity: Identity,
  metadata: EntryMetadata,
  step: IdentityStep,
  isConcurrent: () => boolean,
): void {
  const { action } = step;
  switch (action.type) {
    case "revision":
      propose(identity, metadata, action, step);
      break;
    case "revision.accept":
    case "revision.reject":
      vote(identity, metadata, action.type === "revision.accept", action.revision, step.isSigned);
      break;
    case "RevisionEdit": {
      const proposal = findProposal(identity, action.revision);
      if (proposal.state !== "active") {
        if (!isConcurrent()) throw new Refusal("invalid", "The proposal is no longer open");
        break;
      }
      requireAuthor(proposal, metadata);
      proposal.title = action.title;
      proposal.description = action.description;
      break;
    }
    case "revision.redact": {
      const proposal = findProposal(identity, action.revision);
      requireAuthor(proposal, metadata);
      if (proposal.state !== "active") break;
      proposal.state = { redacted: "Author" };
      closeBelow(identity, proposal, { redacted: "Parent" });
      break;
    }
  }
  identity.timeline.push(metadata.id);
}

function propose(
  identity: Identity,
  metadata: EntryMetadata,
  action: IdentityAction & { type: "revision" },
  { doc, content, isSigned }: IdentityStep,
): void {
  if (doc === undefined || content === undefined) {
    throw new Refusal("malformed", "The proposed document cannot be read");
  }
  const parent = action.parent === null ? undefined : identity.proposals.get(action.parent);
  if (parent === undefined) throw new Refusal("missing", "The proposal builds on none that is known");
  requireDelegate(parent, metadata);
  if (parent.content === content) throw new Refusal("invalid", "The proposed document changes nothing");
  if (!isSigned) throw new Refusal("malformed", "The proposed document is not signed by its author");
  const proposal = createProposal(metadata, action, doc, content, stateBelow(identity, parent));
  if (proposal.state === "active" && hasAcceptedChild(identity, parent, metadata.author)) {
    proposal.verdicts.delete(metadata.author);
  }
  identity.proposals.set(metadata.id, proposal);
  parent.children.push(metadata.id);
  if (proposal.state === "active") adopt(identity, proposal);
}

function vote(
  identity: Identity,
  metadata: EntryMetadata,
  isAcceptance: boolean,
  id: Oid,
  isSigned: boolean,
): void {
  const proposal = findProposal(identity, id);
  if (proposal.state !== "active") return;
  const parent = findProposal(identity, proposal.parent ?? id);
  requireDelegate(parent, metadata);
  if (isAcceptance && hasAcceptedChild(identity, parent, metadata.author)) return;
  if (isAcceptance && !isSigned) throw new Refusal("malformed", "The acceptance is not signed by its author");
  const isSecond = proposal.verdicts.has(metadata.author);
  proposal.verdicts.set(metadata.author, isAcceptance ? "accept" : "reject");
  if (isSecond) throw new Refusal("invalid", "The author has voted already");
  if (isAcceptance) return adopt(identity, proposal);
  const rejections = [...proposal.verdicts.values()].filter((verdict) => verdict === "reject").length;
  if (rejections <= countDelegates(parent.doc) - majority(parent.doc)) return;
  proposal.state = { rejected: "Vote" };
  closeBelow(identity, proposal, { rejected: "Parent" });
}

/** Whether a node has accepted an open proposal on top of that one: of those that compete, a node's acceptance of the first counts, for as long as it is open. */
function hasAcceptedChild(identity: Identity, { children }: Proposal, node: NodeId): boolean {
  return children.some((id) => {
    const { state, verdicts } = findProposal(identity, id);
    return state === "active" && verdicts.get(node) === "accept";
  });
}

/** Puts a proposal in force when it builds on the one in force and a majority of that one's delegates accepted it; perhaps others on top of it, too. */
function adopt(identity: Identity, candidate: Proposal): void {
  const waiting = [candidate];
  for (let proposal = waiting.pop(); proposal !== undefined; proposal = waiting.pop()) {
    const current = findProposal(identity, identity.current);
    if (proposal.parent !== current.id || proposal.state !== "active") continue;
    const voters = [...proposal.verdicts].filter(([, verdict]) => verdict === "accept").map(([node]) => node);
    // A proposal made before its parent was in force counts only those who are delegates now.
    const counted = proposal === candidate ? voters : voters.filter((node) => isDelegate(current.doc, node));
    if (counted.length < majority(current.doc)) continue;
    for (const id of current.children) {
      const sibling = findProposal(identity, id);
      if (sibling === proposal || sibling.state !== "active") continue;
      sibling.state = { rejected: { Sibling: proposal.id } };
      closeBelow(identity, sibling, { rejected: "Parent" });
    }
    identity.current = proposal.id;
    proposal.state = "accepted";
    waiting.push(...proposal.children.toReversed().map((id) => findProposal(identity, id)));
  }
}

/** Gives a state to all open proposals that build on one, directly or not. */
function closeBelow(identity: Identity, { children }: Proposal, state: ProposalState): void {
  const waiting = [...children];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const proposal = findProposal(identity, id);
    if (proposal.state !== "active") continue;
    proposal.state = state;
    waiting.push(...proposal.children);
  }
}

/** The state in which a new proposal begins. */
function stateBelow(identity: Identity, parent: Proposal): ProposalState {
  const { state } = parent;
  if (state === "active") return "active";
  if (state !== "accepted") return "rejected" in state ? { rejected: "Parent" } : { redacted: "Parent" };
  const sibling = parent.children.find((id) => findProposal(identity, id).state === "accepted");
  return sibling === undefined ? "active" : { rejected: { Sibling: sibling } };
}

function createProposal(
  { id, author, timeSeconds }: EntryMetadata,
  { title, description, blob, parent }: IdentityAction & { type: "revision" },
  doc: IdentityDoc,
  content: Oid,
  state: ProposalState,
): Proposal {
  const verdicts = new Map([[author, "accept" as const]]);
  const words = { title, description };
  return { id, author, timeSeconds, ...words, blob, doc, content, parent, state, verdicts, children: [] };
}

function findProposal(identity: Identity, id: Oid): Proposal {
  const proposal = identity.proposals.get(id);
  if (proposal === undefined) throw new Refusal("missing", `Proposal ${id} was not found`);
  return proposal;
}

function requireDelegate(parent: Proposal, { author }: EntryMetadata): void {
  if (!isDelegate(parent.doc, author)) throw new Refusal("denied", "Only delegates may propose and vote");
}

function requireAuthor(proposal: Proposal, { author }: EntryMetadata): void {
  if (proposal.author !== author) throw new Refusal("denied", "Only its author may change a proposal");
}

function isDelegate(doc: IdentityDoc, node: NodeId): boolean {
  return doc.delegates.includes(didOfNid(node));
}

function countDelegates(doc: IdentityDoc): number {
  return new Set(doc.delegates).size;
}

/** More than half of the delegates; the document's threshold is about other things. */
function majority(doc: IdentityDoc): number {
  return Math.floor(countDelegates(doc) / 2) + 1;
}
