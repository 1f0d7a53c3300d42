/**
 * Evaluates identities in the same way as the Radicle programs of February 2024 and of version 0.10. Only the
 * latest vote of each delegate counts. When a proposal is adopted, all other open proposals become stale.
 */
import type { IdentityDoc } from "../../identity/doc.ts";
import { type Did, didOfNid } from "../../ids/nid.ts";
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
 * State of a proposal: open to votes (`active`), in force now or earlier (`accepted`), rejected by votes, or
 * made obsolete by another proposal (`stale`).
 */
export type EarlyState = "active" | "accepted" | "rejected" | "stale";

/** A proposed identity document. */
export interface EarlyProposal extends ProposalBase {
  state: EarlyState;
}

/** The evaluated identity of a repository. Applying an action changes it in place. */
export interface EarlyIdentity {
  readonly root: Oid;
  /** Id of the proposal in force. */
  current: Oid;
  /** Proposals by their ids. A redacted proposal is null. */
  readonly proposals: Map<Oid, EarlyProposal | null>;
  /**
   * Id of the proposal that each node accepted or proposed last. Votes of former delegates are not removed.
   */
  readonly votes: Map<Did, Oid>;
  /** Ids of the applied entries. An entry with several actions occurs once for each action. */
  readonly timeline: Oid[];
}

/**
 * Thrown when the state of the identity does not permit an action. If another entry is concurrent, the action
 * is ignored, because its author may not have known this state.
 */
class UnexpectedState extends Refusal {}

/**
 * Creates the identity from its first entry.
 *
 * @param blob Id of the document from which the repository's id was derived.
 * @throws {Refusal} when the entry does not initialize an identity.
 */
export function initEarlyIdentity(
  metadata: EntryMetadata,
  steps: readonly IdentityStep[],
  blob: Oid,
): EarlyIdentity {
  const proposed = checkInitialProposal(metadata, steps, blob);
  const proposal: EarlyProposal = { ...createProposal(metadata, proposed), state: "accepted" };
  return {
    root: metadata.id,
    current: metadata.id,
    proposals: new Map([[metadata.id, proposal]]),
    votes: new Map(proposed.doc.delegates.map((did) => [did, metadata.id])),
    timeline: [metadata.id],
  };
}

/**
 * Applies an action. If the author is not a delegate of the document in force, or the proposal is not in the
 * state that the action requires, the action is ignored when `isConcurrent` returns true, and refused
 * otherwise. Changes made before a failure are not undone.
 *
 * @throws {Refusal} when the action is not permitted or not possible.
 */
export function applyToEarlyIdentity(
  identity: EarlyIdentity,
  metadata: EntryMetadata,
  step: IdentityStep,
  isConcurrent: () => boolean,
): void {
  try {
    applyAction(identity, metadata, step);
  } catch (error) {
    if (!(error instanceof UnexpectedState && isConcurrent())) throw error;
  }
  identity.timeline.push(metadata.id);
}

function applyAction(identity: EarlyIdentity, metadata: EntryMetadata, step: IdentityStep): void {
  const { action } = step;
  if (!isDelegate(currentOf(identity).doc, metadata.author)) {
    throw new UnexpectedState("denied", "Only delegates may change an identity");
  }
  switch (action.type) {
    case "revision":
      propose(identity, metadata, action, step);
      break;
    case "revision.accept":
    case "revision.reject":
      vote(identity, metadata, action.revision, step);
      break;
    case "RevisionEdit": {
      if (action.revision === identity.current) {
        throw new Refusal("denied", "The proposal is the current document");
      }
      const proposal = findProposal(identity.proposals, action.revision);
      if (proposal === null) break;
      requireActive(proposal);
      requireAuthor(proposal, metadata);
      proposal.title = action.title;
      proposal.description = action.description;
      break;
    }
    case "revision.redact": {
      if (action.revision === identity.current) {
        throw new UnexpectedState("invalid", "The proposal is the current document");
      }
      const proposal = findProposal(identity.proposals, action.revision);
      if (proposal === null) break;
      if (proposal.state === "accepted") {
        throw new UnexpectedState("invalid", "The proposal was accepted before");
      }
      requireAuthor(proposal, metadata);
      identity.proposals.set(proposal.id, null);
      break;
    }
  }
}

function propose(
  identity: EarlyIdentity,
  metadata: EntryMetadata,
  action: ProposeAction,
  step: IdentityStep,
): void {
  const proposed = requireDoc(action, step);
  if (action.parent === null) throw new Refusal("missing", "The proposal has no parent");
  const parent = findProposal(identity.proposals, action.parent);
  if (parent === null) return;
  const isActive = parent.id === identity.current;
  if (isActive && proposed.content === parent.content) {
    throw new Refusal("invalid", "The proposed document changes nothing");
  }
  if (!step.isSigned || !isDelegate(parent.doc, metadata.author)) {
    throw new Refusal("malformed", "The proposed document is not signed by a delegate");
  }
  const state = isActive ? "active" : "stale";
  const proposal: EarlyProposal = { ...createProposal(metadata, proposed), state };
  identity.votes.set(didOfNid(metadata.author), metadata.id);
  identity.proposals.set(metadata.id, proposal);
  if (isActive) adopt(identity, proposal);
}

function vote(
  identity: EarlyIdentity,
  { author }: EntryMetadata,
  id: Oid,
  { action, isSigned }: IdentityStep,
): void {
  const proposal = findProposal(identity.proposals, id);
  if (proposal === null) return;
  requireActive(proposal);
  const isAcceptance = action.type === "revision.accept";
  if (isAcceptance) {
    // As in the Radicle programs, the vote counts even if its entry is refused by the next line.
    identity.votes.set(didOfNid(author), id);
    if (!isSigned) throw new Refusal("malformed", "The acceptance is not signed by its author");
  }
  castVote(proposal, author, isAcceptance ? "accept" : "reject");
  if (isAcceptance) return adopt(identity, proposal);
  // A rejection counts the delegates of the proposed document, not of the document in force.
  const { doc } = proposal;
  if (votersOf(proposal, "reject").length > doc.delegates.length - majority(doc)) proposal.state = "rejected";
}

/**
 * Puts a proposal in force if its votes are a majority of the delegates of the document in force. Votes of
 * former delegates count. All other open proposals become stale.
 */
function adopt(identity: EarlyIdentity, proposal: EarlyProposal): void {
  const votes = [...identity.votes.values()].filter((id) => id === proposal.id).length;
  if (votes < majority(currentOf(identity).doc)) return;
  identity.current = proposal.id;
  proposal.state = "accepted";
  for (const other of identity.proposals.values()) if (other?.state === "active") other.state = "stale";
}

/** Returns the proposal in force, which is never null because it cannot be redacted. */
function currentOf(identity: EarlyIdentity): EarlyProposal {
  return identity.proposals.get(identity.current)!;
}

function requireActive({ state }: EarlyProposal): void {
  if (state !== "active") throw new UnexpectedState("invalid", "The proposal is not open to votes");
}

/**
 * Returns the smallest number that is more than half of the delegates. A delegate that is listed twice counts
 * twice.
 */
function majority({ delegates }: IdentityDoc): number {
  return Math.floor(delegates.length / 2) + 1;
}
