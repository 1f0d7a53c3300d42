/** Identities: proposals, votes, and which document is in force. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { applyToIdentity, type Identity, initIdentity } from "../../../src/cob/identity/identity.ts";
import { IdentityAction, type IdentityStep } from "../../../src/cob/identity/proposal.ts";
import { hashObject } from "../../../src/git/encode.ts";
import { encodeMultibase } from "../../../src/ids/multibase.ts";
import type { NodeId } from "../../../src/ids/nid.ts";
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
const by = (n: number, author: NodeId) => createOp(n, author, []);
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

function found(delegates: readonly NodeId[] = [ALICE]): Identity {
  return initIdentity(by(1, ALICE), [proposal(1, null, delegates)], blob(1));
}

function propose(
  identity: Identity,
  n: number,
  author: NodeId,
  parent: number,
  delegates: readonly NodeId[],
): void {
  applyToIdentity(identity, by(n, author), proposal(n, entryId(parent), delegates), () => false);
}

function vote(
  identity: Identity,
  n: number,
  author: NodeId,
  verdict: "accept" | "reject",
  of: number,
  isSigned = true,
): void {
  const action = { type: `revision.${verdict}`, revision: entryId(of), signature: SIGNATURE };
  applyToIdentity(identity, by(n, author), step(action, undefined, isSigned), () => false);
}

const stateOf = (identity: Identity, n: number) => identity.proposals.get(entryId(n))?.state;
const current = (identity: Identity) => parseInt(identity.current, 16);

describe("IdentityAction", () => {
  for (const signature of ["", "zzz", SIGNATURE.slice(0, -4), encodeMultibase(new Uint8Array(63)), 1]) {
    it(`refuses the signature ${JSON.stringify(signature)}`, () => {
      assert.ok(!v.is(IdentityAction, { type: "revision.accept", revision: entryId(1), signature }));
    });
  }
});

describe("initIdentity", () => {
  it("puts the first document in force", () => {
    const identity = found();
    assert.deepEqual([identity.root, current(identity), stateOf(identity, 1)], [entryId(1), 1, "accepted"]);
  });

  it("refuses what is no beginning, or not by the first delegate", () => {
    const first = proposal(1, null, [ALICE]);
    assert.throws(() => initIdentity(by(1, ALICE), [], blob(1)), refusal("invalid"));
    assert.throws(() => initIdentity(by(1, ALICE), [first, first], blob(1)), refusal("invalid"));
    assert.throws(
      () => initIdentity(by(1, ALICE), [proposal(1, entryId(7), [ALICE])], blob(1)),
      refusal("invalid"),
    );
    assert.throws(() => initIdentity(by(1, BOB), [first], blob(1)), refusal("denied"));
    assert.throws(() => initIdentity(by(1, ALICE), [first], blob(2)), refusal("malformed"));
    assert.throws(
      () => initIdentity(by(1, ALICE), [proposal(1, null, [ALICE], false)], blob(1)),
      refusal("malformed"),
    );
  });
});

describe("applyToIdentity", () => {
  it("adopts at once what a single delegate proposes", () => {
    const identity = found();
    propose(identity, 2, ALICE, 1, [ALICE, BOB]);
    assert.equal(current(identity), 2);
  });

  it("adopts by more than half of the delegates, whatever the threshold", () => {
    const identity = found([ALICE, BOB, CAROL]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    assert.equal(current(identity), 1);
    vote(identity, 3, BOB, "accept", 2);
    assert.equal(current(identity), 2);
    assert.equal(stateOf(identity, 2), "accepted");
  });

  it("rejects once a majority has become impossible", () => {
    const identity = found([ALICE, BOB]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    vote(identity, 4, BOB, "reject", 2);
    assert.deepEqual(stateOf(identity, 2), { rejected: "Vote" });
    vote(identity, 5, ALICE, "accept", 2);
    assert.equal(current(identity), 1);
  });

  it("rejects what competes with an adopted proposal, and what builds on that", () => {
    const identity = found([ALICE, BOB, CAROL]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    propose(identity, 3, BOB, 1, [BOB]);
    propose(identity, 4, BOB, 3, [CAROL]);
    vote(identity, 5, CAROL, "accept", 2);
    assert.deepEqual(stateOf(identity, 3), { rejected: { Sibling: entryId(2) } });
    assert.deepEqual(stateOf(identity, 4), { rejected: "Parent" });
    propose(identity, 6, BOB, 1, [ALICE, CAROL]);
    assert.deepEqual(stateOf(identity, 6), { rejected: { Sibling: entryId(2) } });
    propose(identity, 7, BOB, 3, [ALICE, CAROL]);
    assert.deepEqual(stateOf(identity, 7), { rejected: "Parent" });
  });

  it("adopts, together with a proposal, those on top of it that have their majority by then", () => {
    const identity = found([ALICE, BOB, CAROL]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    propose(identity, 3, ALICE, 2, [ALICE, BOB]);
    assert.equal(current(identity), 1);
    vote(identity, 4, BOB, "accept", 2);
    assert.equal(current(identity), 3);
  });

  it("counts the acceptance of one of those that compete: the first, for as long as that one is open", () => {
    const identity = found([ALICE, BOB, CAROL]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    propose(identity, 3, ALICE, 1, [BOB]);
    vote(identity, 4, ALICE, "accept", 3, false);
    vote(identity, 5, BOB, "accept", 3);
    assert.deepEqual([...identity.proposals.get(entryId(3))!.verdicts], [[BOB, "accept"]]);
    assert.equal(current(identity), 1);
    vote(identity, 6, BOB, "reject", 2);
    vote(identity, 7, CAROL, "reject", 2);
    assert.deepEqual(stateOf(identity, 2), { rejected: "Vote" });
    vote(identity, 8, ALICE, "accept", 3);
    assert.equal(current(identity), 3);
    assert.deepEqual(identity.timeline.map((id) => parseInt(id, 16)), [1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("passes over a second acceptance, even of a wrong signature, and refuses other second votes", () => {
    const identity = found([ALICE, BOB, CAROL]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    vote(identity, 3, ALICE, "accept", 2, false);
    assert.deepEqual(identity.timeline.at(-1), entryId(3));
    // The verdict changes all the same: nothing of what a refused entry did is undone.
    assert.throws(() => vote(identity, 4, ALICE, "reject", 2), refusal("invalid"));
    assert.throws(() => vote(identity, 5, ALICE, "accept", 2), refusal("invalid"));
    assert.deepEqual([...identity.proposals.get(entryId(2))!.verdicts], [[ALICE, "accept"]]);
    assert.deepEqual(identity.timeline.at(-1), entryId(3));
  });

  it("withdraws for its author alone, with what builds on it", () => {
    const identity = found([ALICE, BOB]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    propose(identity, 3, ALICE, 2, [BOB]);
    const redact = step({ type: "revision.redact", revision: entryId(2) });
    assert.throws(() => applyToIdentity(identity, by(4, BOB), redact, () => false), refusal("denied"));
    applyToIdentity(identity, by(5, ALICE), redact, () => false);
    assert.deepEqual([stateOf(identity, 2), stateOf(identity, 3)], [{ redacted: "Author" }, {
      redacted: "Parent",
    }]);
    vote(identity, 6, BOB, "accept", 2);
    assert.equal(current(identity), 1);
  });

  it("edits the words of an open proposal, for its author alone", () => {
    const identity = found([ALICE, BOB]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    const edit = (of: number) =>
      step({ type: "RevisionEdit", revision: entryId(of), title: "new", description: "d" });
    applyToIdentity(identity, by(3, ALICE), edit(2), () => false);
    assert.equal(identity.proposals.get(entryId(2))?.title, "new");
    assert.throws(() => applyToIdentity(identity, by(4, BOB), edit(2), () => false), refusal("denied"));
    assert.throws(() => applyToIdentity(identity, by(5, ALICE), edit(1), () => false), refusal("invalid"));
    applyToIdentity(identity, by(6, ALICE), edit(1), () => true);
    assert.equal(identity.proposals.get(entryId(1))?.title, "t1");
  });

  it("compares documents by what they say", () => {
    const identity = found([ALICE, BOB]);
    const spelled = proposal(2, entryId(1), [ALICE, BOB]);
    assert.throws(() => applyToIdentity(identity, by(2, ALICE), spelled, () => false), refusal("invalid"));
    propose(identity, 3, ALICE, 1, [BOB, ALICE]);
    assert.equal(stateOf(identity, 3), "active");
  });

  it("refuses those who are no delegates, missing signatures, and what changes nothing", () => {
    const identity = found([ALICE, BOB]);
    propose(identity, 2, ALICE, 1, [ALICE]);
    assert.throws(() => propose(identity, 3, STRANGER, 1, [STRANGER]), refusal("denied"));
    assert.throws(() => vote(identity, 3, STRANGER, "accept", 2), refusal("denied"));
    assert.throws(() => vote(identity, 3, BOB, "accept", 2, false), refusal("malformed"));
    assert.throws(() => vote(identity, 3, BOB, "accept", 9), refusal("missing"));
    assert.throws(() => propose(identity, 3, ALICE, 9, [ALICE]), refusal("missing"));
    const same = proposal(3, entryId(1), [ALICE, BOB]);
    assert.throws(() => applyToIdentity(identity, by(3, ALICE), same, () => false), refusal("invalid"));
    const unsigned = proposal(3, entryId(1), [ALICE], false);
    assert.throws(() => applyToIdentity(identity, by(3, ALICE), unsigned, () => false), refusal("malformed"));
    const unreadable = { ...proposal(3, entryId(1), [ALICE]), doc: undefined };
    assert.throws(
      () => applyToIdentity(identity, by(3, ALICE), unreadable, () => false),
      refusal("malformed"),
    );
    assert.equal(current(identity), 1);
  });
});
