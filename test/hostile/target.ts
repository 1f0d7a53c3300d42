/** Targets of hostile objects and references: a storage in memory, or a bare repository on the disk. */
import { formatSigrefs } from "../../src/identity/sigrefs_text.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { type RepoId, ridFromOid } from "../../src/ids/rid.ts";
import type { ObjectKind } from "../../src/ports/storage.ts";
import { hashObject } from "../../src/git/encode.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { oidToBytes } from "../../src/ids/oid.ts";
import { createWriter, putEntry, type Writer } from "../cob/entries.ts";
import { putCommit } from "../support/world.ts";

/** A repository that accepts objects and references. */
export interface Target {
  put(kind: ObjectKind, bytes: Uint8Array): Oid;
  setRef(name: string, oid: Oid): void;
  setSymbolicRef(name: string, target: string): void;
}

/** A repository on the disk, which also accepts packed objects with false headers, and loose references. */
export interface DiskTarget extends Target {
  setLooseRef(name: string, oid: Oid): void;
  /** Puts a file into the repository's own folder. */
  putFile(name: string, content: string): void;
  removeRef(name: string): void;
  /** Puts an object as a delta on top of an earlier object. */
  putDelta(oid: Oid, base: Oid, delta: Uint8Array): void;
}

/** A class of hostile repositories, and its requests. */
export interface HostileClass {
  readonly name: string;
  /** Whether each answer is made anew, so that it costs as much when it is requested again: archives. */
  readonly isMadeAnew?: boolean;
  /**
   * Fills a repository that has an identity; returns the paths to request: below `/api/v1/projects/:rid`, or
   * with two slashes at the start below the root.
   */
  readonly fill: (target: DiskTarget, founded: Founded) => readonly string[] | Promise<readonly string[]>;
  /** Changes the folder of the repository after its objects and references were written. */
  readonly finish?: (path: string) => void;
}

/** The whole path of a request to a hostile repository. */
export function requestPath(rid: RepoId, path: string): string {
  return path.startsWith("//") ? path.slice(1) : `/api/v1/projects/${rid}${path}`;
}

/** A repository with an identity, and possibly a branch. */
export interface Founded {
  readonly rid: RepoId;
  /** The delegate. */
  readonly alice: Writer;
  /** A node that is not a delegate. */
  readonly bob: Writer;
  /** The first commit of the identity. */
  readonly identity: Oid;
  /** First commit of the default branch and `HEAD`. */
  readonly head: Oid;
}

/** The node with a number; any number of nodes exist. */
export function createNode(number: number): Writer {
  const seed = new Uint8Array(32).fill(9);
  new DataView(seed.buffer).setUint32(0, number);
  return createWriter(seed);
}

const encoder = new TextEncoder();
const SECONDS = 1_780_000_000;

/** The document of a repository of Alice's, and the id derived from it. */
export function documentOf(name: string): { readonly rid: RepoId; readonly text: string } {
  const alice = createWriter(1);
  const text = JSON.stringify({
    delegates: [didOfNid(alice.nid)],
    payload: { "xyz.radicle.project": { defaultBranch: "master", description: "Hostile", name } },
    threshold: 1,
  });
  return { rid: ridFromOid(hashObject("blob", encoder.encode(text))), text };
}

/** Initializes an empty repository: its identity, a commit, the default branch and `HEAD`. */
export function found(target: Target, name: string): Founded {
  const [alice, bob] = [createWriter(1), createWriter(2)];
  const { rid, text } = documentOf(name);
  const blob = target.put("blob", encoder.encode(text));
  const signature = encodeMultibase(alice.sign(oidToBytes(blob)));
  const identity = putEntry(target, {
    writer: alice,
    type: "xyz.radicle.id",
    actions: [{
      type: "revision",
      title: "Initial revision",
      description: "",
      blob,
      parent: null,
      signature,
    }],
    folder: { embeds: { "radicle.json": text } },
    timeSeconds: SECONDS,
  });
  const head = putCommit(target, { folder: { README: "Hello\n" }, message: "Begin\n", timeSeconds: SECONDS });
  target.setRef("refs/rad/id", identity);
  target.setRef(`refs/namespaces/${alice.nid}/refs/cobs/xyz.radicle.id/${identity}`, identity);
  target.setRef(`refs/namespaces/${alice.nid}/refs/rad/id`, identity);
  target.setRef(`refs/namespaces/${alice.nid}/refs/rad/root`, identity);
  setHead(target, alice, head);
  return { rid, alice, bob, identity, head };
}

/** Points the default branch of the repository and of its delegate to a commit. */
export function setHead(target: Target, alice: Writer, head: Oid): void {
  target.setRef("refs/heads/master", head);
  target.setRef(`refs/namespaces/${alice.nid}/refs/heads/master`, head);
  target.setSymbolicRef("HEAD", "refs/heads/master");
  sign(target, alice, [["refs/heads/master", head]]);
}

/** Signs references of a node, existing or not. */
export function sign(target: Target, node: Writer, refs: Iterable<readonly [string, Oid]>): Oid {
  const text = encoder.encode(formatSigrefs(refs));
  const signature = node.sign(text);
  const commit = putCommit(target, { folder: { refs: text, signature }, message: "Update signed refs\n" });
  target.setRef(`refs/namespaces/${node.nid}/refs/rad/sigrefs`, commit);
  return commit;
}
