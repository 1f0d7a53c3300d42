/** Identities as the programs of February 2024 and 0.10 evaluate them: a delegate's latest vote counts, and all else that was open when a proposal is adopted is stale. */
import type { IdentityDoc } from "../../identity/doc.ts";
import { type Did, didOfNid } from "../../ids/did.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { checkInitialProposal, type IdentityAction, type IdentityStep } from "./identity.ts";
import type { EntryMetadata } from "../op.ts";
import { Refusal } from "../refusal.ts";

/** State of a proposal: open to votes, in force (or having been so), voted down, or overtaken by another one. */
export type EarlyState = "active" | "accepted" | "rejected" | "stale";

/** A proposed identity document. */
export interface EarlyProposal extends EntryMetadata {
  title: string;
  description: string;
  readonly blob: Oid;
  readonly doc: IdentityDoc;
  /** See {@link IdentityStep.content}. */
  readonly content: Oid;
  /** The proposal that it builds on; the first one has none. */
  readonly parent: Oid | null;
  state: EarlyState;
  readonly verdicts: Map<NodeId, "accept" | "reject">;
}

/** An identity. Steps change it in place. */
export interface EarlyIdentity {
  readonly root: Oid;
  /** The proposal in force. */
  current: Oid;
  /** By id; null for withdrawn ones. */
  readonly proposals: Map<Oid, EarlyProposal | null>;
  /** The proposal that each node accepted or made last. The vote of a former delegate stays. */
  readonly votes: Map<Did, Oid>;
  /** Entries that had their turn, one for each of their actions. */
  readonly timeline: Oid[];
}

/** Passed over when its author may not have known what came before: when there are concurrent entries. */
class UnexpectedState extends Refusal {}

/**
 * The identity that its first entry founds; `blob` is the one that gave the repository its id.
 *
 * @throws {Refusal} when it founds none.
 */
export function initEarlyIdentity(
  metadata: EntryMetadata,
  steps: readonly IdentityStep[],
  blob: Oid,
): EarlyIdentity {
  const { action, doc, content } = checkInitialProposal(metadata, steps, blob);
  return {
    root: metadata.id,
    current: metadata.id,
    proposals: new Map([[metadata.id, createProposal(metadata, action, doc, content, "accepted")]]),
    votes: new Map(doc.delegates.map((did) => [did, metadata.id])),
    timeline: [metadata.id],
  };
}

/**
 * Applies an action. Where its author is no delegate of the document in force, or a proposal is not as it should be, it is passed over if
 * `isConcurrent`: its author may not have known. What it did until it failed is not undone.
 *
 * @throws {Refusal} when the author may not do that, or it cannot be done.
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
  if (!currentOf(identity).doc.delegates.includes(didOfNid(metadata.author))) {
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
      if (action.revision === identity.current) throw new Refusal("denied", "The proposal is in force");
      const proposal = findProposal(identity, action.revision);
      if (proposal === null) break;
      requireActive(proposal);
      requireAuthor(proposal, metadata);
      proposal.title = action.title;
      proposal.description = action.description;
      break;
    }
    case "revision.redact": {
      if (action.revision === identity.current) {
        throw new UnexpectedState("invalid", "The proposal is in force");
      }
      const proposal = findProposal(identity, action.revision);
      if (proposal === null) break;
      if (proposal.state === "accepted") throw new UnexpectedState("invalid", "The proposal was in force");
      requireAuthor(proposal, metadata);
      identity.proposals.set(proposal.id, null);
      break;
    }
  }
}

function propose(
  identity: EarlyIdentity,
  metadata: EntryMetadata,
  action: IdentityAction & { type: "revision" },
  { doc, content, isSigned }: IdentityStep,
): void {
  if (doc === undefined || content === undefined) {
    throw new Refusal("malformed", "The proposed document cannot be read");
  }
  if (action.parent === null) throw new Refusal("missing", "The proposal builds on none");
  const parent = findProposal(identity, action.parent);
  if (parent === null) return;
  const isActive = parent.id === identity.current;
  if (isActive && content === parent.content) {
    throw new Refusal("invalid", "The proposed document changes nothing");
  }
  if (!isSigned || !parent.doc.delegates.includes(didOfNid(metadata.author))) {
    throw new Refusal("malformed", "The proposed document is not signed by a delegate");
  }
  const proposal = createProposal(metadata, action, doc, content, isActive ? "active" : "stale");
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
  const proposal = findProposal(identity, id);
  if (proposal === null) return;
  requireActive(proposal);
  const isAcceptance = action.type === "revision.accept";
  if (isAcceptance) {
    // Counted from now on, whatever becomes of the entry (as the real programs).
    identity.votes.set(didOfNid(author), id);
    if (!isSigned) throw new Refusal("malformed", "The acceptance is not signed by its author");
  }
  const isSecond = proposal.verdicts.has(author);
  proposal.verdicts.set(author, isAcceptance ? "accept" : "reject");
  if (isSecond) throw new Refusal("invalid", "The author has voted already");
  if (isAcceptance) return adopt(identity, proposal);
  const rejections = [...proposal.verdicts.values()].filter((verdict) => verdict === "reject").length;
  // The proposed delegates count, not those in force.
  if (rejections > proposal.doc.delegates.length - majority(proposal.doc)) proposal.state = "rejected";
}

/** Puts a proposal in force when it is the latest vote of as many as are a majority of the delegates; all others become stale. */
function adopt(identity: EarlyIdentity, proposal: EarlyProposal): void {
  const votes = [...identity.votes.values()].filter((id) => id === proposal.id).length;
  if (votes < majority(currentOf(identity).doc)) return;
  identity.current = proposal.id;
  proposal.state = "accepted";
  for (const other of identity.proposals.values()) if (other?.state === "active") other.state = "stale";
}

function createProposal(
  { id, author, timeSeconds }: EntryMetadata,
  { title, description, blob, parent }: IdentityAction & { type: "revision" },
  doc: IdentityDoc,
  content: Oid,
  state: EarlyState,
): EarlyProposal {
  const verdicts = new Map([[author, "accept" as const]]);
  const words = { title, description };
  return { id, author, timeSeconds, ...words, blob, doc, content, parent, state, verdicts };
}

/** A proposal; null for a withdrawn one. */
function findProposal(identity: EarlyIdentity, id: Oid): EarlyProposal | null {
  const proposal = identity.proposals.get(id);
  if (proposal === undefined) throw new Refusal("missing", `Proposal ${id} was not found`);
  return proposal;
}

/** Never a withdrawn one, since what is in force cannot be withdrawn. */
function currentOf(identity: EarlyIdentity): EarlyProposal {
  return identity.proposals.get(identity.current)!;
}

function requireActive({ state }: EarlyProposal): void {
  if (state !== "active") throw new UnexpectedState("invalid", "The proposal is not open to votes");
}

function requireAuthor(proposal: EarlyProposal, { author }: EntryMetadata): void {
  if (proposal.author !== author) throw new Refusal("denied", "Only its author may change a proposal");
}

/** More than half of the delegates. A delegate named twice counts twice. */
function majority({ delegates }: IdentityDoc): number {
  return Math.floor(delegates.length / 2) + 1;
}
