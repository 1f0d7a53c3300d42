/** Hostile references. */
import type { Oid } from "../../src/ids/oid.ts";
import { putLine } from "./histories.ts";
import { createNode, type HostileClass, sign } from "./target.ts";

const ISSUE = "xyz.radicle.issue";

/** Many packed references, with names that are not shown and with invalid names. */
export const packedReferences: HostileClass = {
  name: "150,000 packed references",
  fill(target, { alice, bob, head }) {
    for (let i = 0; i < 100_000; i++) {
      target.setRef(`refs/namespaces/${bob.nid}/refs/heads/${"n".repeat(30)}/${i}`, head);
    }
    for (let i = 0; i < 20_000; i++) {
      target.setRef(
        `refs/namespaces/${alice.nid}/refs/cobs/${ISSUE}/${(i + 1).toString(16).padStart(40, "c")}`,
        head,
      );
    }
    for (let i = 0; i < 30_000; i++) target.setRef(`refs/heads/..${i}.lock`, head);
    return ["", "/remotes", "/issues", "/commits", `/tree/${head}/`];
  },
};

/** Signed references of ten megabytes, and some with invalid signatures. */
export const hugeSigrefs: HostileClass = {
  name: "signed references of 10 MB",
  fill(target, { bob, head }) {
    const refs = (prefix: string) =>
      Array.from(
        { length: 100_000 },
        (_, i) => [`refs/heads/${prefix}${String(i).padStart(50, "0")}`, head] as const,
      );
    sign(target, bob, refs("a"));
    for (let i = 0; i < 5; i++) {
      const node = createNode(i);
      const liar = { ...node, sign: () => new Uint8Array(64) };
      sign(target, liar, refs(`${i}`));
    }
    return ["/remotes", `/remotes/${bob.nid}`, `/remotes/${createNode(0).nid}`, ""];
  },
};

/** Thousands of nodes with signed references. */
export const manyNamespaces: HostileClass = {
  name: "2,000 nodes",
  fill(target, { head }) {
    for (let i = 0; i < 2000; i++) {
      const node = createNode(1000 + i);
      sign(target, node, [["refs/heads/master", head]]);
      target.setRef(`refs/namespaces/${node.nid}/refs/heads/master`, head);
    }
    return ["/remotes", "", "/commits", "/issues"];
  },
};

/** Tips without a commit, loops of symbolic references, and deep folders. */
export const oddReferences: HostileClass = {
  name: "odd references",
  fill(target, { head }) {
    for (let i = 0; i < 2000; i++) {
      target.setSymbolicRef(`refs/heads/loop-${i}`, `refs/heads/loop-${(i + 1) % 2000}`);
      target.setRef(`refs/heads/absent-${i}`, (i + 1).toString(16).padStart(40, "e") as Oid);
    }
    target.setRef(`refs/heads/${"deep/".repeat(700)}end`, head);
    const tip = putLine(target, 10, head);
    target.setRef("refs/heads/line", tip);
    return ["", "/commits", `/tree/${tip}/`, `/commits/${tip}`, "/remotes"];
  },
};

/** Twenty thousand loose references, as fetches create them. */
export const looseReferences: HostileClass = {
  name: "20,000 loose references",
  fill(target, { head }) {
    for (let i = 0; i < 20_000; i++) target.setLooseRef(`refs/heads/loose-${i}`, head);
    return ["", "/commits", `/tree/${head}/`, `/commits/${head}`];
  },
};

/** Files of git that are as long as they are read, in the forms that take the longest. */
export const longFiles: HostileClass = {
  name: "long files of git",
  fill(target, { head }) {
    const tip = putLine(target, 100, head);
    const oids = Array.from({ length: 25_000 }, (_, i) => (i + 1).toString(16).padStart(40, "e"));
    target.putFile("shallow", `${oids.join("\n")}\n`);
    target.putFile("objects/info/alternates", '"\\x\n"\\040"../x\n'.repeat(70_000));
    for (let i = 0; i < 200; i++) {
      target.putFile(`refs/heads/long-${i}`, `${head} ${"x".repeat(100_000)}`);
      target.putFile(`refs/heads/spaces-${i}`, `ref:${" \t\r\n".repeat(20_000)}refs/heads/long-${i}`);
    }
    return ["", "/commits", `/tree/${tip}/`, `/commits/${tip}`, `/commits?parent=${tip}&path=README`];
  },
};
