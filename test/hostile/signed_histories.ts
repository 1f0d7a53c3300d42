/** Hostile histories of signed references: below the level of parents they are judged whole. */
import { formatSigrefs } from "../../src/identity/sigrefs_text.ts";
import { MAX_JUDGED_BYTES, MAX_JUDGED_COMMITS } from "../../src/identity/sigrefs_walk.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Writer } from "../cob/entries.ts";
import { putTree } from "../support/world.ts";
import { absentOid, commitBytes } from "./histories.ts";
import { createNode, type DiskTarget, type HostileClass } from "./target.ts";

const encoder = new TextEncoder();
const SECONDS = 1_780_000_000;
const FIRST_NODE = 5000;
/** References of a large state. */
const MANY_REFS = 10_000;
/**
 * Length of a part of names in states that are too large together, and bytes of each reference in the text at least. By short
 * names, it takes five times as long to come to the limit, in the same steps.
 */
const [LONG_NAME, LONG_REF_BYTES] = [240, 295];

/** Puts the files of a signed state, and returns their tree. */
function putState(
  target: DiskTarget,
  node: Writer,
  refs: Iterable<readonly [string, Oid]>,
  signature?: Uint8Array,
): Oid {
  const text = encoder.encode(formatSigrefs(refs));
  return putTree(target, { refs: text, signature: signature ?? node.sign(text) });
}

/** Long and large histories within the bounds, and such that are refused at their far end. */
export const signedHistories: HostileClass = {
  name: "histories of signed references",
  fill(target, founded) {
    const { head, identity } = founded;
    const { nodes, add } = historiesIn(target);
    const plain = (node: Writer) => plainState(target, node, head);
    const withRoot = (node: Writer) =>
      putState(target, node, [["refs/heads/master", head], ["refs/rad/root", identity]]);

    add((node) => repeat(plain(node), 10_000));
    // Many states; the last one repeats the first.
    add((node) =>
      Array.from(
        { length: 3000 },
        (_, i) => putState(target, node, [[`refs/heads/${i % 2999}`, head], ["refs/rad/root", identity]]),
      )
    );
    add((node) => Array.from({ length: 20 }, (_, i) => largeState(target, node, `${i}`, head)));
    // A bad signature, a higher level, a missing commit, one that is none, and two parents at the far end.
    const badSignature = (node: Writer) =>
      putState(target, node, [["refs/heads/a", head]], new Uint8Array(64));
    add((node) => [badSignature(node), ...repeat(plain(node), 1000)]);
    add((node) => [withRoot(node), ...repeat(plain(node), 1000)]);
    add((node) => repeat(plain(node), 1000), [absentOid(0)]);
    add((node) => repeat(plain(node), 1000), [head]);
    add((node) => repeat(plain(node), 1000), [head, absentOid(1)]);
    // Many short ones.
    for (let i = 0; i < 300; i++) add((node) => [...repeat(withRoot(node), 4), plain(node)]);
    return ["/remotes", ...nodes.slice(0, 10).map(({ nid }) => `/remotes/${nid}`), ""];
  },
};

/** Histories beyond the bounds: one with too many commits, and one with too much text. */
export const endlessHistories: HostileClass = {
  name: "endless signed references",
  fill(target, { head }) {
    const { nodes, add } = historiesIn(target);
    add((node) => repeat(plainState(target, node, head), MAX_JUDGED_COMMITS + 1));
    add((node) =>
      repeat(
        largeState(target, node, "n".repeat(LONG_NAME), head),
        Math.ceil(MAX_JUDGED_BYTES / (MANY_REFS * LONG_REF_BYTES)),
      )
    );
    return ["/remotes", ...nodes.map(({ nid }) => `/remotes/${nid}`), ""];
  },
};

const repeat = (tree: Oid, count: number) => new Array<Oid>(count).fill(tree);

const plainState = (target: DiskTarget, node: Writer, head: Oid) =>
  putState(target, node, [["refs/heads/master", head]]);

const largeState = (target: DiskTarget, node: Writer, name: string, head: Oid) =>
  putState(target, node, Array.from({ length: MANY_REFS }, (_, i) => [`refs/heads/${name}/${i}`, head]));

/** Nodes of a repository, and what makes one whose history has these trees, the first commit first. */
function historiesIn(target: DiskTarget): {
  readonly nodes: readonly Writer[];
  readonly add: (trees: (node: Writer) => Iterable<Oid>, first?: readonly Oid[]) => void;
} {
  const nodes: Writer[] = [];
  return {
    nodes,
    add: (trees, first = []) => {
      const node = createNode(FIRST_NODE + nodes.length);
      let [parents, count] = [first, 0];
      for (const tree of trees(node)) {
        parents = [target.put("commit", commitBytes(tree, parents, SECONDS + count++, "Update signed refs"))];
      }
      target.setRef(`refs/namespaces/${node.nid}/refs/rad/sigrefs`, parents[0]!);
      nodes.push(node);
    },
  };
}
