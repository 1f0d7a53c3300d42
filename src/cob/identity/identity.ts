/**
 * Evaluates identities in the same way as the newest Radicle programs. An identity consists of proposed
 * identity documents and votes on them. The proposal in force defines the delegates of a repository.
 */
import type { IdentityDoc } from "../../identity/doc.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { type EntryMetadata, Refusal } from "../op.ts";
import {
  castVote,
  checkInitialProposal,
  createProposal,
  findProposal,
  type IdentityStep,
  isDelegate,
  type ProposalBase,
  type ProposeAction,
  requireAuthor,
  requireDoc,
  votersOf,
} from "./proposal.ts";

/**
 * State of a proposal: open to votes (`active`), in force now or earlier (`accepted`), rejected, or redacted.
 * A proposal is rejected by votes, because its parent was rejected, or because a sibling (another child of
 * its parent) was accepted. A proposal is redacted by its author, or because its parent was redacted.
 */
export type ProposalState =
  | "active"
  | "accepted"
  | { readonly rejected: "Vote" | "Parent" | { readonly Sibling: Oid } }
  | { readonly redacted: "Author" | "Parent" };

/** A proposed identity document. */
export interface Proposal extends ProposalBase {
  state: ProposalState;
  readonly children: Oid[];
}

/** The evaluated identity of a repository. Applying an action changes it in place. */
export interface Identity {
  readonly root: Oid;
  /** Id of the proposal in force. */
  current: Oid;
  readonly proposals: Map<Oid, Proposal>;
  /** Ids of the applied entries. An entry with several actions occurs once for each action. */
  readonly timeline: Oid[];
}

/**
 * Creates the identity from its first entry.
 *
 * @param blob Id of the document from which the repository's id was derived.
 * @throws {Refusal} when the entry does not initialize an identity.
 */
export function initIdentity(metadata: EntryMetadata, steps: readonly IdentityStep[], blob: Oid): Identity {
  const proposed = checkInitialProposal(metadata, steps, blob);
  const proposal: Proposal = { ...createProposal(metadata, proposed), state: "accepted", children: [] };
  return {
    root: metadata.id,
    current: metadata.id,
    proposals: new Map([[metadata.id, proposal]]),
    timeline: [metadata.id],
  };
}

/**
 * Applies an action. An edit of a closed proposal is ignored if `isConcurrent` returns true, because the
 * author of the edit may not have known that the proposal was closed.
 *
 * @throws {Refusal} when the action is not permitted or not possible.
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
      const proposal = findProposal(identity.proposals, action.revision);
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
      const proposal = findProposal(identity.proposals, action.revision);
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
  action: ProposeAction,
  step: IdentityStep,
): void {
  const proposed = requireDoc(action, step);
  const parent = action.parent === null ? undefined : identity.proposals.get(action.parent);
  if (parent === undefined) throw new Refusal("missing", "The proposal has no known parent");
  requireDelegate(parent, metadata);
  if (parent.content === proposed.content) {
    throw new Refusal("invalid", "The proposed document changes nothing");
  }
  if (!step.isSigned) throw new Refusal("malformed", "The proposed document is not signed by its author");
  const state = stateBelow(identity, parent);
  const proposal: Proposal = { ...createProposal(metadata, proposed), state, children: [] };
  if (state === "active" && hasAcceptedChild(identity, parent, metadata.author)) {
    proposal.verdicts.delete(metadata.author);
  }
  identity.proposals.set(metadata.id, proposal);
  parent.children.push(metadata.id);
  if (state === "active") adopt(identity, proposal);
}

function vote(
  identity: Identity,
  metadata: EntryMetadata,
  isAcceptance: boolean,
  id: Oid,
  isSigned: boolean,
): void {
  const proposal = findProposal(identity.proposals, id);
  if (proposal.state !== "active") return;
  const parent = findProposal(identity.proposals, proposal.parent ?? id);
  requireDelegate(parent, metadata);
  if (isAcceptance && hasAcceptedChild(identity, parent, metadata.author)) return;
  if (isAcceptance && !isSigned) throw new Refusal("malformed", "The acceptance is not signed by its author");
  castVote(proposal, metadata.author, isAcceptance ? "accept" : "reject");
  if (isAcceptance) return adopt(identity, proposal);
  const rejections = votersOf(proposal, "reject").length;
  if (rejections <= countDelegates(parent.doc) - majority(parent.doc)) return;
  proposal.state = { rejected: "Vote" };
  closeBelow(identity, proposal, { rejected: "Parent" });
}

/**
 * Checks whether a node has accepted an open child of a proposal. If a node accepts several children, only
 * the first acceptance counts, as long as the first accepted child is open.
 */
function hasAcceptedChild(identity: Identity, { children }: Proposal, node: NodeId): boolean {
  return children.some((id) => {
    const { state, verdicts } = findProposal(identity.proposals, id);
    return state === "active" && verdicts.get(node) === "accept";
  });
}

/**
 * Puts a proposal in force if its parent is in force and a majority of the parent's delegates accepted the
 * proposal. The children of an adopted proposal are then checked in the same way.
 */
function adopt(identity: Identity, candidate: Proposal): void {
  const waiting = [candidate];
  for (let proposal = waiting.pop(); proposal !== undefined; proposal = waiting.pop()) {
    const current = findProposal(identity.proposals, identity.current);
    if (proposal.parent !== current.id || proposal.state !== "active") continue;
    const voters = votersOf(proposal, "accept");
    // For a child of `candidate`, only the votes of the delegates in the document of `candidate` count.
    const counted = proposal === candidate ? voters : voters.filter((node) => isDelegate(current.doc, node));
    if (counted.length < majority(current.doc)) continue;
    for (const id of current.children) {
      const sibling = findProposal(identity.proposals, id);
      if (sibling === proposal || sibling.state !== "active") continue;
      sibling.state = { rejected: { Sibling: proposal.id } };
      closeBelow(identity, sibling, { rejected: "Parent" });
    }
    identity.current = proposal.id;
    proposal.state = "accepted";
    waiting.push(...proposal.children.toReversed().map((id) => findProposal(identity.proposals, id)));
  }
}

function closeBelow(identity: Identity, { children }: Proposal, state: ProposalState): void {
  const waiting = [...children];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const proposal = findProposal(identity.proposals, id);
    if (proposal.state !== "active") continue;
    proposal.state = state;
    waiting.push(...proposal.children);
  }
}

function stateBelow(identity: Identity, parent: Proposal): ProposalState {
  const { state } = parent;
  if (state === "active") return "active";
  if (state !== "accepted") return "rejected" in state ? { rejected: "Parent" } : { redacted: "Parent" };
  const sibling = parent.children.find((id) => findProposal(identity.proposals, id).state === "accepted");
  return sibling === undefined ? "active" : { rejected: { Sibling: sibling } };
}

function requireDelegate(parent: Proposal, { author }: EntryMetadata): void {
  if (!isDelegate(parent.doc, author)) throw new Refusal("denied", "Only delegates may propose and vote");
}

function countDelegates(doc: IdentityDoc): number {
  return new Set(doc.delegates).size;
}

/**
 * Returns the smallest number that is more than half of the delegates. The threshold in the document does not
 * apply to identities.
 */
function majority(doc: IdentityDoc): number {
  return Math.floor(countDelegates(doc) / 2) + 1;
}
