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
/** References of a large state, and bytes of each in the text at least. */
const [MANY_REFS, REF_BYTES] = [10_000, 55];

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

/** Long and large histories within the bounds and beyond them, and such that are refused at their far end. */
export const signedHistories: HostileClass = {
  name: "histories of signed references",
  fill(target, { head, identity }) {
    const nodes: Writer[] = [];
    /** Makes a node whose history has these trees, the first commit first. */
    const add = (trees: (node: Writer) => Iterable<Oid>, first: readonly Oid[] = []) => {
      const node = createNode(FIRST_NODE + nodes.length);
      let [parents, count] = [first, 0];
      for (const tree of trees(node)) {
        parents = [target.put("commit", commitBytes(tree, parents, SECONDS + count++, "Update signed refs"))];
      }
      target.setRef(`refs/namespaces/${node.nid}/refs/rad/sigrefs`, parents[0]!);
      nodes.push(node);
    };
    const repeat = (tree: Oid, count: number) => new Array<Oid>(count).fill(tree);
    const plain = (node: Writer) => putState(target, node, [["refs/heads/master", head]]);
    const withRoot = (node: Writer) =>
      putState(target, node, [["refs/heads/master", head], ["refs/rad/root", identity]]);
    const large = (node: Writer, name: string) =>
      putState(target, node, Array.from({ length: MANY_REFS }, (_, i) => [`refs/heads/${name}/${i}`, head]));

    // A long one, and one that is too long.
    add((node) => repeat(plain(node), 10_000));
    add((node) => repeat(plain(node), MAX_JUDGED_COMMITS + 1));
    // Many states; the last one repeats the first.
    add((node) =>
      Array.from(
        { length: 3000 },
        (_, i) => putState(target, node, [[`refs/heads/${i % 2999}`, head], ["refs/rad/root", identity]]),
      )
    );
    // Large states, and too many of them.
    add((node) => Array.from({ length: 20 }, (_, i) => large(node, `${i}`)));
    add((node) => repeat(large(node, "again"), Math.ceil(MAX_JUDGED_BYTES / (MANY_REFS * REF_BYTES))));
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
    return ["/remotes", ...nodes.slice(0, 12).map(({ nid }) => `/remotes/${nid}`), ""];
  },
};
