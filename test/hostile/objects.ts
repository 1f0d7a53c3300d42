/** Hostile issues, patches, identities and packs. */
import type { Oid } from "../../src/ids/oid.ts";
import { delta, number7 } from "../storage/home/pack_builder.ts";
import { putEntry, type Writer } from "../cob/entries.ts";
import { putBlob } from "../support/world.ts";
import { hashObject } from "../../src/git/encode.ts";
import { commitBytes, treeBytes } from "./histories.ts";
import { type Founded, type HostileClass, setHead, type Target } from "./target.ts";

const SECONDS = 1_780_000_000;
const ISSUE = "xyz.radicle.issue";
const IDENTITY = "xyz.radicle.id";

/** Opens an issue of Bob's and returns its id, the id of its first entry. */
function openIssue(target: Target, { bob, identity }: Founded, title = "Issue"): Oid {
  const actions = [{ type: "comment", body: "Text" }, { type: "edit", title }];
  return putEntry(target, { writer: bob, actions, resource: identity, timeSeconds: SECONDS });
}

function setTip(target: Target, writer: Writer, type: string, object: Oid, tip: Oid): void {
  target.setRef(`refs/namespaces/${writer.nid}/refs/cobs/${type}/${object}`, tip);
}

const issueViews = (id: Oid) => ["/issues", `/issues/${id}`, "", "/issues?state=all", "/patches"];

/** Unsigned entries whose trailer is folded many times. */
export const foldedTrailers: HostileClass = {
  name: "folded trailers",
  fill(target, founded) {
    const id = openIssue(target, founded);
    for (let i = 0; i < 20; i++) {
      const message = `Change\n\nRad-Resource: ${founded.identity}${"\n x".repeat(84_000)}\n${i}\n`;
      const tip = putEntry(target, {
        writer: founded.bob,
        actions: [{ type: "comment", body: `${i}`, replyTo: id }],
        parents: [id],
        resource: founded.identity,
        message,
        signatureLines: "",
      });
      target.setRef(
        `refs/namespaces/${founded.bob.nid}/refs/cobs/${ISSUE}/${id}${i === 0 ? "" : `/${i}`}`,
        tip,
      );
      setTip(target, founded.bob, ISSUE, tip, tip);
    }
    setTip(target, founded.alice, ISSUE, id, id);
    return issueViews(id);
  },
};

/** Comments of almost four megabytes in one issue: all together exceed the heap. */
export const hugeComments: HostileClass = {
  name: "300 comments of 3.9 MB",
  fill(target, founded) {
    const id = openIssue(target, founded);
    let tip = id;
    for (let i = 0; i < 300; i++) {
      tip = putEntry(target, {
        writer: founded.bob,
        actions: [{ type: "comment", body: `${i} ${"c".repeat(3_900_000)}`, replyTo: id }],
        parents: [tip],
        resource: founded.identity,
        timeSeconds: SECONDS + i,
      });
    }
    setTip(target, founded.bob, ISSUE, id, tip);
    return issueViews(id);
  },
};

/** An issue with almost the maximum number of entries, in a line and side by side. */
export const manyEntries: HostileClass = {
  name: "30,000 entries",
  fill(target, founded) {
    const id = openIssue(target, founded);
    let tip = id;
    const { bob, identity } = founded;
    for (let i = 0; i < 4000; i++) {
      const actions = [{ type: "comment", body: `${i}`, replyTo: id }];
      tip = putEntry(target, {
        writer: bob,
        actions,
        parents: [tip],
        resource: identity,
        timeSeconds: SECONDS + i,
      });
    }
    setTip(target, bob, ISSUE, id, tip);
    const wide = openIssue(target, founded, "Wide");
    for (let i = 0; i < 4000; i++) {
      const actions = [{ type: "edit", title: `${i}` }];
      const entry = putEntry(target, {
        writer: bob,
        actions,
        parents: [wide],
        resource: identity,
        timeSeconds: SECONDS + i,
      });
      target.setRef(`refs/namespaces/${bob.nid}/refs/cobs/${ISSUE}/${wide}${i === 0 ? "" : `/${i}`}`, entry);
    }
    // The same entry again and again: as cheap to write as it is to read.
    const unsigned = openIssue(target, founded, "Unsigned");
    const tree = putEntryTree(target);
    let last = unsigned;
    for (let i = 0; i < 30_000; i++) {
      last = target.put("commit", commitBytes(tree, [last, identity], SECONDS + i, `${i}`));
    }
    setTip(target, bob, ISSUE, unsigned, last);
    return [...issueViews(id), `/issues/${wide}`, `/issues/${unsigned}`];
  },
};

function putEntryTree(target: Target): Oid {
  const manifest = putBlob(target, JSON.stringify({ typeName: ISSUE, version: 1 }));
  const action = putBlob(target, JSON.stringify({ type: "lifecycle", state: { status: "open" } }));
  return target.put("tree", treeBytes([["100644", "0", action], ["100644", "manifest", manifest]]));
}

/** Ten thousand issues. */
export const manyIssues: HostileClass = {
  name: "3,000 issues",
  fill(target, founded) {
    let id: Oid | undefined;
    for (let i = 0; i < 3000; i++) {
      id = openIssue(target, founded, `Issue ${i}`);
      setTip(target, founded.bob, ISSUE, id, id);
    }
    return issueViews(id!);
  },
};

/** An identity with many entries that no reference names as the current one. */
export const longIdentity: HostileClass = {
  name: "a long identity",
  fill(target, founded) {
    const { alice, bob, identity } = founded;
    let tip = identity;
    for (let i = 0; i < 3000; i++) {
      const actions = [{ type: "revision.edit", revision: identity, title: `${i}`, description: "" }];
      tip = putEntry(target, {
        writer: i % 2 === 0 ? bob : alice,
        type: IDENTITY,
        actions,
        parents: [tip],
        timeSeconds: SECONDS + i,
      });
    }
    const tree = target.put("tree", new Uint8Array(0));
    for (let i = 0; i < 29_000; i++) {
      tip = target.put("commit", commitBytes(tree, [tip], SECONDS + i, `${i}`));
    }
    setTip(target, alice, IDENTITY, identity, tip);
    target.removeRef("refs/rad/id");
    return ["", "/issues", "/remotes"];
  },
};

/** Chains of deltas: large links, and a small object at the end. */
export const deltaChains: HostileClass = {
  name: "chains of deltas",
  fill(target, { alice, head }) {
    const size = 15 * 2 ** 20;
    let base = target.put("blob", new Uint8Array(size));
    // Copies at most 0xffffff bytes per instruction, from the beginning of the base to its end.
    const copyAll = (length: number, mark: number) => {
      const instructions: number[] = [1, mark];
      for (let at = 0; at < length; at += 0xfffff) {
        const count = Math.min(0xfffff, length - at);
        instructions.push(0x80 | 0x0f | 0x70, at & 255, at >> 8 & 255, at >> 16 & 255, at >>> 24);
        instructions.push(count & 255, count >> 8 & 255, count >> 16 & 255);
      }
      return instructions;
    };
    for (let link = 0; link < 100; link++) {
      const oid = fakeOid(link);
      target.putDelta(oid, base, delta(size + link, size + link + 1, ...copyAll(size + link, link)));
      base = oid;
    }
    const end = "abcdef";
    const endOid = hashObject("blob", new TextEncoder().encode(end));
    target.putDelta(endOid, base, delta(size + 100, 6, 6, ...new TextEncoder().encode(end)));
    // A delta whose header declares a base of a gigabyte.
    const huge = target.put("blob", Uint8Array.from([...number7(2 ** 30), 0]));
    const claimed = fakeOid(1000);
    target.putDelta(claimed, huge, delta(2 ** 30, 2 ** 30, 0x80));
    const tree = target.put(
      "tree",
      treeBytes([["100644", "claimed", claimed], ["100644", "end", endOid], ["100644", "link", fakeOid(50)]]),
    );
    const tip = target.put("commit", commitBytes(tree, [head], SECONDS, "Chain"));
    setHead(target, alice, tip);
    return [
      `/commits/${tip}`,
      ...["end", "claimed", "link"].map((name) => `/blob/${tip}/${name}`),
      `/tree/${tip}/`,
    ];
  },
};

function fakeOid(i: number): Oid {
  return (i + 1).toString(16).padStart(40, "d") as Oid;
}
