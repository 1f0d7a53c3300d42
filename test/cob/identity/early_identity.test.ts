/** Identities as the programs of February 2024 and 0.10 evaluate them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import {
  applyToEarlyIdentity,
  type EarlyIdentity,
  initEarlyIdentity,
} from "../../../src/cob/identity/early_identity.ts";
import { IdentityAction, type IdentityStep } from "../../../src/cob/identity/proposal.ts";
import { hashObject } from "../../../src/git/encode.ts";
import { didOfNid, type NodeId } from "../../../src/ids/nid.ts";
import { encodeMultibase } from "../../../src/ids/multibase.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import {
  AUTHOR as BOB,
  createDoc,
  createOp,
  DELEGATE as ALICE,
  entryId,
  FRIEND as CAROL,
  refusal,
  STRANGER,
} from "../ops.ts";

const SIGNATURE = encodeMultibase(new Uint8Array(64));
const blob = (n: number) => entryId(1000 + n);

/** Documents differ by their delegates alone here. */
const step = (action: object, delegates?: readonly NodeId[], isSigned = true): IdentityStep => ({
  action: v.parse(IdentityAction, action),
  doc: delegates && createDoc(delegates),
  content: delegates && hashObject("blob", new TextEncoder().encode(delegates.join())),
  isSigned,
});
const proposal = (n: number, parent: Oid | null, delegates: readonly NodeId[], isSigned = true) =>
  step(
    { type: "revision", title: `t${n}`, blob: blob(n), parent, signature: SIGNATURE },
    delegates,
    isSigned,
  );

/** An identity and what can be done to it: entry `n` by a node, with concurrent entries or without. */
function found(...delegates: readonly NodeId[]) {
  const metadata = (n: number, author: NodeId) => createOp(n, author, []);
  const identity = initEarlyIdentity(metadata(1, ALICE), [proposal(1, null, delegates)], blob(1));
  const act = (n: number, author: NodeId, what: IdentityStep, isConcurrent = false) =>
    applyToEarlyIdentity(identity, metadata(n, author), what, () => isConcurrent);
  return {
    identity,
    act,
    propose: (n: number, author: NodeId, parent: number, to: readonly NodeId[], isConcurrent = false) =>
      act(n, author, proposal(n, entryId(parent), to), isConcurrent),
    accept: (n: number, author: NodeId, of: number, isSigned = true, isConcurrent = false) =>
      act(n, author, vote("accept", of, isSigned), isConcurrent),
    reject: (n: number, author: NodeId, of: number) => act(n, author, vote("reject", of)),
  };
}

const vote = (verdict: "accept" | "reject", of: number, isSigned = true) =>
  step({ type: `revision.${verdict}`, revision: entryId(of), signature: SIGNATURE }, undefined, isSigned);
const edit = (of: number) => step({ type: "RevisionEdit", revision: entryId(of), title: "new" });
const redact = (of: number) => step({ type: "revision.redact", revision: entryId(of) });
const states = ({ proposals }: EarlyIdentity) =>
  Object.fromEntries([...proposals].map(([id, found]) => [parseInt(id, 16), found && found.state]));
const current = (identity: EarlyIdentity) => parseInt(identity.current, 16);

describe("an early identity", () => {
  it("adopts by more than half of the delegates in force, and lets what else was open be stale", () => {
    const { identity, propose, accept } = found(ALICE, BOB, CAROL);
    propose(2, ALICE, 1, [ALICE]);
    propose(3, BOB, 1, [BOB]);
    accept(4, CAROL, 2);
    assert.equal(current(identity), 2);
    assert.deepEqual(states(identity), { 1: "accepted", 2: "accepted", 3: "stale" });
    propose(5, ALICE, 1, [ALICE, CAROL]);
    assert.deepEqual(states(identity)[5], "stale");
  });

  it("counts the latest vote of each node alone", () => {
    const { identity, propose, accept } = found(ALICE, BOB, CAROL);
    propose(2, ALICE, 1, [ALICE]);
    propose(3, ALICE, 1, [BOB]);
    accept(4, BOB, 2);
    assert.equal(current(identity), 1);
    accept(5, CAROL, 3);
    assert.equal(current(identity), 3);
  });

  it("counts a vote that is refused, and a vote of a former delegate", () => {
    const { identity, propose, accept } = found(ALICE, BOB, CAROL);
    propose(2, ALICE, 1, [ALICE]);
    assert.throws(() => accept(3, BOB, 2, false), refusal("malformed"));
    assert.equal(current(identity), 1);
    assert.throws(() => accept(4, ALICE, 2), refusal("invalid"));
    assert.equal(current(identity), 1);
    assert.equal(identity.votes.get(didOfNid(BOB)), entryId(2));
    accept(5, CAROL, 2);
    assert.equal(current(identity), 2);
    assert.equal(identity.votes.size, 3);
  });

  it("counts delegates that are named twice twice", () => {
    const { identity, propose, accept } = found(ALICE, ALICE, BOB);
    propose(2, ALICE, 1, [ALICE]);
    assert.equal(current(identity), 1);
    accept(3, BOB, 2);
    assert.equal(current(identity), 2);
  });

  it("asks at each moment who is a delegate, and passes over others where there are concurrent entries", () => {
    const { identity, act, propose } = found(ALICE, BOB);
    assert.throws(() => propose(2, STRANGER, 1, [STRANGER]), refusal("denied"));
    propose(3, STRANGER, 1, [STRANGER], true);
    assert.deepEqual(states(identity), { 1: "accepted" });
    assert.deepEqual(identity.timeline, [entryId(1), entryId(3)]);
    assert.throws(() => act(4, STRANGER, redact(9)), refusal("denied"));
    assert.throws(() => act(5, ALICE, redact(9), true), refusal("missing"));
  });

  it("rejects by the delegates that are proposed", () => {
    const { identity, propose, reject } = found(ALICE, BOB, CAROL);
    propose(2, ALICE, 1, [ALICE, BOB, CAROL, STRANGER]);
    reject(3, BOB, 2);
    assert.equal(states(identity)[2], "active");
    reject(4, CAROL, 2);
    assert.equal(states(identity)[2], "rejected");
    propose(5, ALICE, 1, [ALICE]);
    reject(6, BOB, 5);
    assert.equal(states(identity)[5], "rejected");
  });

  it("refuses votes on what is not open, unless there are concurrent entries", () => {
    const { identity, propose, accept } = found(ALICE, BOB);
    propose(2, ALICE, 1, [ALICE]);
    accept(3, BOB, 2);
    assert.throws(() => accept(4, ALICE, 1), refusal("invalid"));
    accept(5, ALICE, 1, true, true);
    assert.equal(current(identity), 2);
    assert.deepEqual(identity.timeline.at(-1), entryId(5));
  });

  it("forgets withdrawn proposals, and passes over what is about them", () => {
    const { identity, act, propose, accept } = found(ALICE, BOB);
    propose(2, ALICE, 1, [ALICE]);
    assert.throws(() => act(3, BOB, redact(2)), refusal("denied"));
    act(4, ALICE, redact(2));
    assert.equal(states(identity)[2], null);
    accept(5, BOB, 2);
    act(6, ALICE, redact(2));
    act(7, ALICE, edit(2));
    propose(8, ALICE, 2, [ALICE]);
    assert.deepEqual(states(identity), { 1: "accepted", 2: null });
    assert.throws(() => act(9, ALICE, redact(1)), refusal("invalid"));
    act(10, ALICE, redact(1), true);
    assert.equal(current(identity), 1);
  });

  it("edits the words of an open proposal, for its author alone, and never of the one in force", () => {
    const { identity, act, propose } = found(ALICE, BOB);
    propose(2, ALICE, 1, [ALICE]);
    act(3, ALICE, edit(2));
    assert.equal(identity.proposals.get(entryId(2))?.title, "new");
    assert.throws(() => act(4, BOB, edit(2)), refusal("denied"));
    assert.throws(() => act(5, ALICE, edit(1), true), refusal("denied"));
  });

  it("refuses proposals on nothing, of nothing new, unsigned, or by one who was no delegate then", () => {
    const { identity, act, propose, accept } = found(ALICE);
    assert.throws(() => act(2, ALICE, proposal(2, null, [BOB])), refusal("missing"));
    assert.throws(() => propose(2, ALICE, 9, [BOB]), refusal("missing"));
    assert.throws(() => propose(2, ALICE, 1, [ALICE]), refusal("invalid"));
    assert.throws(() => act(2, ALICE, proposal(2, entryId(1), [BOB], false)), refusal("malformed"));
    assert.throws(
      () => act(2, ALICE, { ...proposal(2, entryId(1), [BOB]), doc: undefined, content: undefined }),
      refusal("malformed"),
    );
    propose(3, ALICE, 1, [ALICE, BOB]);
    assert.throws(() => propose(4, BOB, 1, [BOB]), refusal("malformed"));
    propose(5, BOB, 3, [BOB]);
    accept(6, ALICE, 5);
    assert.equal(current(identity), 5);
    // What is built on a document that is no longer in force may change nothing.
    propose(7, BOB, 3, [ALICE, BOB]);
    assert.equal(states(identity)[7], "stale");
  });
});
