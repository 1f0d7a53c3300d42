/** Entries whose commit, tree or actions are slow to read. */
import { formatNid } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { putEntry, type Writer } from "../cob/entries.ts";
import { encodingsOf, TORSION } from "../support/crafted_signatures.ts";
import { createNode, type Founded, type HostileClass, type Target } from "./target.ts";

const SECONDS = 1_780_000_000;
const ISSUE = "xyz.radicle.issue";
const MIB = 2 ** 20;
const OID = "a".repeat(40);
const encoder = new TextEncoder();
const SIGNATURE = "gpgsig -----BEGIN SSH SIGNATURE-----\n";

/** One action of each kind. */
const ACTIONS: Readonly<Record<string, () => string>> = {
  "1,000,000 labels": () => `{"labels":[${'"x",'.repeat(1e6)}"y"],"type":"label"}`,
  "100,000 assignees": () => {
    const dids = Array.from({ length: 500 }, (_, i) => `"did:key:${createNode(i).nid}"`);
    return `{"assignees":[${Array.from({ length: 1e5 }, (_, i) => dids[i % 500]).join()}],"type":"assign"}`;
  },
  "2,000,000 empty objects": () => `{"more":[${"{},".repeat(2e6)}{}],"title":"x","type":"edit"}`,
  "700,000 members": () =>
    `{${Array.from({ length: 7e5 }, (_, i) => `"k${i}":1`).join()},"title":"x","type":"edit"}`,
  "8,000,000 levels": () => "[".repeat(8e6),
  "a number of 8,000,000 digits": () => `{"more":${"1".repeat(8e6)},"title":"x","type":"edit"}`,
  "4,000,000 escaped quotes": () => `{"title":"${'\\"'.repeat(4e6)}","type":"edit"}`,
  "8,000,000 spaces": () => `${" ".repeat(8e6)}{"title":"x","type":"edit"}`,
};

/** Header lines after the committer's. */
const HEADERS: Readonly<Record<string, string>> = {
  "100,000 lines that go on": `${SIGNATURE}${" \n".repeat(1e5)}`,
  "6,000 signatures": `${SIGNATURE} x\n`.repeat(5000),
  "a line of 240,000 blanks": `gpgsig ${" ".repeat(240_000)}x\n`,
  "10,000 committers": "committer a <a@b> 1 +0000\n".repeat(9000),
};

function setTip(target: Target, writer: Writer, object: Oid, tip: Oid): void {
  target.setRef(`refs/namespaces/${writer.nid}/refs/cobs/${ISSUE}/${object}`, tip);
}

/** Entries of an issue, and of many issues, whose signatures take an exact check: by a key of order 8. */
export const craftedSignatures: HostileClass = {
  name: "crafted signatures",
  fill(target, founded: Founded) {
    const { alice, identity: resource } = founded;
    const [publicKey] = encodingsOf(TORSION[0]!);
    const signature = Uint8Array.from([...encodingsOf(TORSION[2]!)[0]!, ...new Uint8Array(32).fill(1)]);
    const crafted: Writer = { nid: formatNid(publicKey!), publicKey: publicKey!, sign: () => signature };
    const open = (title: string) => {
      const actions = [{ type: "comment", body: title }, { type: "edit", title }];
      const id = putEntry(target, { writer: alice, actions, resource, timeSeconds: SECONDS });
      setTip(target, alice, id, id);
      return id;
    };
    const comment = (id: Oid, i: number) => {
      const actions = [{ type: "comment", body: `${i}`, replyTo: id }];
      const entry = putEntry(target, {
        writer: crafted,
        actions,
        parents: [id],
        resource,
        timeSeconds: SECONDS,
      });
      target.setRef(`refs/namespaces/${alice.nid}/refs/cobs/${ISSUE}/${id}/${i}`, entry);
    };
    const wide = open("Wide");
    for (let i = 0; i < 4000; i++) comment(wide, i);
    for (let issue = 0; issue < 500; issue++) {
      const id = open(`Issue ${issue}`);
      for (let i = 0; i < 4; i++) comment(id, i);
    }
    return ["/issues", `/issues/${wide}`, "", "/issues?state=all"];
  },
};

/** Signed entries of an issue, each by another node, and further issues that start with such an entry. */
export const oddEntries: HostileClass = {
  name: "entries that are much work to read",
  fill(target, founded: Founded) {
    const { alice, identity: resource } = founded;
    const id = putEntry(target, {
      writer: alice,
      actions: [{ type: "comment", body: "Text" }, { type: "edit", title: "Issue" }],
      resource,
      timeSeconds: SECONDS,
    });
    setTip(target, alice, id, id);
    let number = 0;
    const add = (draft: Partial<Parameters<typeof putEntry>[1]>) => {
      const writer = createNode(number++);
      const entry = { writer, actions: [{ type: "edit", title: "x" }], resource, timeSeconds: SECONDS };
      setTip(target, writer, id, putEntry(target, { ...entry, parents: [id], ...draft }));
      const first = putEntry(target, { ...entry, ...draft });
      setTip(target, writer, first, first);
    };
    for (const action of Object.values(ACTIONS)) add({ folder: { 0: action() } });
    for (const signatureLines of Object.values(HEADERS)) add({ signatureLines });
    // Blobs of 4 MiB in one entry, and a blob shared by several entries.
    add({ folder: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [i, " ".repeat(4 * MIB + i)])) });
    for (let i = 0; i < 8; i++) add({ folder: { 0: " ".repeat(8 * MIB - 1), 1: `${i}` } });
    add({ folder: Object.fromEntries(Array.from({ length: 7000 }, (_, i) => [`name ${i}`, "x"])) });
    add({ message: `Change\n\n${"a:".repeat(100_000)}\n${"\n".repeat(50_000)}Rad-Related: ${OID}\n` });
    add({ author: `${"<".repeat(100_000)}${">".repeat(100_000)} 1 +0000` });
    return ["/issues", `/issues/${id}`, "", "/issues?state=all"];
  },
};

/** Valid changes of 8 MiB, which leave the maximum number of items in their objects. */
export const longLists: HostileClass = {
  name: "changes of a million values",
  fill(target, { alice, bob, identity: resource, head }: Founded) {
    const TYPES = { issues: ISSUE, patches: "xyz.radicle.patch" };
    const paths: string[] = [];
    /** Opens an object of Alice's with one such action on top. */
    const add = (
      writer: Writer,
      kind: keyof typeof TYPES,
      before: string,
      item: (i: number) => string,
      after: string,
    ) => {
      const revision = { type: "revision", description: "Text", base: head, oid: head };
      const actions = kind === "issues"
        ? [{ type: "comment", body: "Text" }, { type: "edit", title: `Object ${paths.length}` }]
        : [revision, { type: "edit", title: "Patch", target: "delegates" }];
      const entry = { type: TYPES[kind], actions, resource, timeSeconds: SECONDS };
      const id = putEntry(target, { ...entry, writer: alice });
      const items: string[] = [];
      for (let room = 8 * MIB - encoder.encode(before + after).length;;) {
        const next = item(items.length);
        room -= encoder.encode(next).length + 1;
        if (room < 0) break;
        items.push(next);
      }
      const text = before + items.join() + after;
      const tip = putEntry(target, { ...entry, writer, parents: [id], actions: [0], folder: { 0: text } });
      target.setRef(`refs/namespaces/${writer.nid}/refs/cobs/${TYPES[kind]}/${id}`, tip);
      paths.push(`/${kind}/${id}`);
    };
    const comment = `{"type":"comment","body":"Text","embeds":[`;
    add(alice, "issues", `{"type":"label","labels":[`, (i) => `"${i.toString(36)}"`, "]}");
    add(alice, "issues", `{"type":"label","labels":[`, (i) => `"${"é".repeat(500_000)}${i}"`, "]}");
    add(bob, "issues", comment, () => `["",""]`, "]}");
    add(bob, "issues", comment, (i) => `{"content":"git:${OID}","name":"${i}"}`, "]}");
    const revision = `{"type":"revision","description":"","base":"${head}","oid":"${head}","resolves":[`;
    add(bob, "patches", revision, (i) => `["${OID}","${i.toString(16).padStart(40, "0")}"]`, "]}");
    return ["/issues", "/patches", ...paths, "", "/issues?state=all"];
  },
};
