/** Entries as steps take them, in short. */
import { type Op, Refusal, type RefusalReason } from "../../src/cob/op.ts";
import { type IdentityDoc, parseDoc, PROJECT_PAYLOAD } from "../../src/identity/doc.ts";
import { didOfNid, formatNid, type NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";

/** Nodes in ascending order of their keys; the first is the only delegate where nothing else is said. */
export const [DELEGATE, AUTHOR, FRIEND, STRANGER] = [1, 2, 3, 4].map((byte) =>
  formatNid(new Uint8Array(32).fill(byte))
) as [NodeId, NodeId, NodeId, NodeId];

const PROJECT = { name: "p", description: "", defaultBranch: "main" };

/** A document, with the payload of a project if nothing else is said. */
export function createDoc(
  delegates: readonly NodeId[] = [DELEGATE],
  threshold = 1,
  payload: object = { [PROJECT_PAYLOAD]: PROJECT },
): IdentityDoc {
  const doc = { delegates: delegates.map(didOfNid), threshold, payload };
  return parseDoc(new TextEncoder().encode(JSON.stringify(doc)));
}

/** The id of entry number `n`. */
export function entryId(n: number): Oid {
  return n.toString(16).padStart(40, "0") as Oid;
}

/** Entry number `n`, written in second `n` after 1000. */
export function createOp<A>(
  n: number,
  author: NodeId,
  actions: readonly A[],
  doc: IdentityDoc = createDoc(),
): Op<A> {
  return { id: entryId(n), author, timeSeconds: 1000 + n, actions, doc };
}

/** For `assert.throws`: a refusal for that reason. */
export function refusal(reason: RefusalReason): (error: unknown) => boolean {
  return (error) => error instanceof Refusal && error.reason === reason;
}
