/**
 * A small world in memory: two nodes, a public and a private repository, with the objects of the real
 * service's own tests.
 */
import * as ed25519 from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { joinBytes } from "../../src/bytes/bytes.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { didOfNid, formatNid, type NodeId } from "../../src/ids/nid.ts";
import { type RepoId, ridFromOid } from "../../src/ids/rid.ts";
import { oidToBytes } from "../../src/ids/oid.ts";
import { formatSigrefs } from "../../src/identity/sigrefs_text.ts";
import { createMemoryStorage, type MemoryRepository, type MemoryStorage } from "../../src/storage/memory.ts";

ed25519.hashes.sha512 = sha512;

/** Secret seeds of the nodes. */
export const ALICE_SEED: Uint8Array = new Uint8Array(32).fill(0xff);
export const BOB_SEED: Uint8Array = new Uint8Array(32).fill(0xfe);
/** Node ids. */
export const ALICE: NodeId = formatNid(ed25519.getPublicKey(ALICE_SEED));
export const BOB: NodeId = formatNid(ed25519.getPublicKey(BOB_SEED));
/** Time of the first commit, in seconds. */
export const START_SECONDS = 1673001014;

const encoder = new TextEncoder();

/** The content of a tree: names to texts, bytes, folders, symbolic links or submodules. */
export interface Folder {
  readonly [name: string]: string | Uint8Array | Folder | { readonly link: string } | {
    readonly submodule: Oid;
  };
}

/** The parts of a commit; author and committer are the same. */
export interface CommitDraft {
  readonly folder: Folder;
  readonly parents?: readonly Oid[];
  readonly message: string;
  readonly timeSeconds?: number;
  readonly person?: string;
}

/** Puts text or bytes as a blob. */
export function putBlob(repository: Pick<MemoryRepository, "put">, content: string | Uint8Array): Oid {
  return repository.put("blob", typeof content === "string" ? encoder.encode(content) : content);
}

/** Puts a tree and everything below it. */
export function putTree(repository: Pick<MemoryRepository, "put">, folder: Folder): Oid {
  const entries = Object.entries(folder).map(([name, content]) => {
    if (typeof content === "string" || content instanceof Uint8Array) {
      return { name, sortName: name, mode: "100644", oid: putBlob(repository, content) };
    }
    if (isLink(content)) {
      return { name, sortName: name, mode: "120000", oid: putBlob(repository, content.link) };
    }
    if (isSubmodule(content)) return { name, sortName: name, mode: "160000", oid: content.submodule };
    return { name, sortName: name + "/", mode: "40000", oid: putTree(repository, content) };
  }).sort((a, b) => a.sortName < b.sortName ? -1 : 1);
  return repository.put(
    "tree",
    concat(entries.flatMap(({ mode, name, oid }) => [`${mode} ${name}\0`, oidToBytes(oid)])),
  );
}

/** Puts a commit with its tree. */
export function putCommit(repository: Pick<MemoryRepository, "put">, draft: CommitDraft): Oid {
  const {
    folder,
    parents = [],
    message,
    timeSeconds = START_SECONDS,
    person = "Alice Liddell <alice@radicle.xyz>",
  } = draft;
  const lines = [
    `tree ${putTree(repository, folder)}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${person} ${timeSeconds} +0000`,
    `committer ${person} ${timeSeconds} +0000`,
  ];
  return repository.put("commit", encoder.encode(`${lines.join("\n")}\n\n${message}`));
}

/** Members of an identity document, in addition to its delegates. */
export interface DocDraft {
  readonly name: string;
  readonly description?: string;
  readonly delegates?: readonly NodeId[];
  readonly threshold?: number;
  readonly isPrivate?: boolean;
}

/** Creates a repository with an identity and without a branch. */
export function createRepository(storage: MemoryStorage, draft: DocDraft): MemoryRepository {
  const { name, description = "", delegates = [ALICE], threshold = 1, isPrivate = false } = draft;
  const doc = JSON.stringify({
    delegates: delegates.map(didOfNid),
    payload: { "xyz.radicle.project": { defaultBranch: "master", description, name } },
    threshold,
    ...(isPrivate && { visibility: { type: "private" } }),
  });
  const rid = ridFromOid(
    createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp").put("blob", encoder.encode(doc)),
  );
  const repository = storage.create(rid);
  const identity = putCommit(repository, {
    folder: { embeds: { "radicle.json": doc } },
    message: "Initialize identity\n",
  });
  repository.setRef("refs/rad/id", identity);
  return repository;
}

/** Sets and signs a node's branches, and other references by their full names. */
export function publish(
  repository: MemoryRepository,
  seed: Uint8Array,
  heads: Readonly<Record<string, Oid>>,
  others: Readonly<Record<string, Oid>> = {},
): void {
  const nid = formatNid(ed25519.getPublicKey(seed));
  const branches = Object.entries(heads).map(([name, oid]) => [`refs/heads/${name}`, oid] as const);
  const refs = [...branches, ...Object.entries(others)];
  for (const [name, oid] of refs) repository.setRef(`refs/namespaces/${nid}/${name}`, oid);
  const text = formatSigrefs(refs);
  const signature = ed25519.sign(encoder.encode(text), seed);
  const commit = putCommit(repository, {
    folder: { refs: text, signature },
    message: "Update signed refs\n",
  });
  repository.setRef(`refs/namespaces/${nid}/refs/rad/sigrefs`, commit);
}

/** Points `HEAD` and the default branch to a commit. */
export function setHead(repository: MemoryRepository, oid: Oid): void {
  repository.setRef("refs/heads/master", oid);
  repository.setSymbolicRef("HEAD", "refs/heads/master");
}

/** The world. */
export interface World {
  readonly storage: MemoryStorage;
  readonly hello: MemoryRepository;
  readonly secret: MemoryRepository;
  readonly helloRid: RepoId;
  readonly secretRid: RepoId;
  /** The public repository's commits, oldest first. */
  readonly commits: readonly [Oid, Oid, Oid];
  readonly secretHead: Oid;
}

/** Creates a new world. */
export function createWorld(): World {
  const storage = createMemoryStorage();
  const hello = createRepository(storage, { name: "hello-world", description: "Rad repository for tests" });
  const first = putCommit(hello, { folder: { README: "Hello World!\n" }, message: "Initial commit\n" });
  const second = putCommit(hello, {
    folder: { CONTRIBUTING: "Thank you very much!\n" },
    parents: [first],
    message: "Add contributing file\n",
    timeSeconds: START_SECONDS + 1000,
  });
  const third = putCommit(hello, {
    folder: { README: "Hello World!\n", dir1: { README: "Hello World from dir1!\n" } },
    parents: [second],
    message: "Add another folder\n",
    timeSeconds: START_SECONDS + 2000,
  });
  setHead(hello, third);
  publish(hello, ALICE_SEED, { master: third });

  const secret = createRepository(storage, {
    name: "hello-world-private",
    description: "Private Rad repository for tests",
    isPrivate: true,
  });
  const secretHead = putCommit(secret, {
    folder: { README: "Hello Private World!\n" },
    message: "Initial commit\n",
  });
  setHead(secret, secretHead);
  publish(secret, ALICE_SEED, { master: secretHead });
  return {
    storage,
    hello,
    secret,
    helloRid: hello.rid,
    secretRid: secret.rid,
    commits: [first, second, third],
    secretHead,
  };
}

function isLink(content: object): content is { link: string } {
  return typeof (content as { link?: unknown }).link === "string" && Object.keys(content).length === 1;
}

function isSubmodule(content: object): content is { submodule: Oid } {
  return typeof (content as { submodule?: unknown }).submodule === "string" &&
    Object.keys(content).length === 1;
}

function concat(parts: readonly (string | Uint8Array)[]): Uint8Array {
  return joinBytes(parts.map((part) => typeof part === "string" ? encoder.encode(part) : part));
}
