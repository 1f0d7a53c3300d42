/**
 * Makes bare repositories as `rad init` does. The id of a repository is determined by the first document of
 * its identity.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { base64 } from "@scure/base";
import { hashObject } from "../../../src/git/encode.ts";
import { PROJECT_PAYLOAD } from "../../../src/identity/doc.ts";
import { IDENTITY_REF } from "../../../src/identity/identity.ts";
import { signRefs } from "../../../src/identity/sigrefs_writer.ts";
import { signVerified } from "../../../src/keys/ed25519.ts";
import { didOfNid } from "../../../src/ids/nid.ts";
import { encodeMultibase } from "../../../src/ids/multibase.ts";
import { type Oid, oidToBytes, parseOid } from "../../../src/ids/oid.ts";
import { type RepoId, ridFromOid } from "../../../src/ids/rid.ts";
import type { Signer } from "../../../src/ports/signer.ts";
import {
  type GitObject,
  isWritable,
  type Storage,
  type WritableRepository,
} from "../../../src/ports/storage.ts";
import { canonicalJson } from "../../../src/cob/write/canonical_json.ts";
import { encodeEntry } from "../../../src/cob/write/entry_draft.ts";
import { IDENTITY_TYPE } from "../../../src/cob/identity/proposal.ts";
import type { History } from "./carried/story.ts";

export interface ProjectDraft {
  readonly name: string;
  readonly description: string;
  readonly defaultBranch: string;
  readonly visibility: "public" | "private";
}

/** The first delegate of a repository. */
export interface Founder {
  readonly alias: string;
  readonly signer: Signer;
}

/** The first entry of a repository's identity. */
export interface FirstEntry {
  readonly rid: RepoId;
  /** Id of the commit of the entry, which is also the id of the identity. */
  readonly root: Oid;
  /** The commit of the entry, and all objects that the commit refers to. */
  readonly objects: readonly GitObject[];
}

const FOLDERS = ["objects/info", "objects/pack", "refs/heads", "refs/tags"];
const CONFIG = "[core]\n\tbare = true\n\trepositoryformatversion = 0\n\tfilemode = true\n";

/** Encodes the first entry of an identity, signed by the founder. Stores no objects. */
export async function draftIdentity(
  { name, description, defaultBranch, visibility }: ProjectDraft,
  { alias, signer }: Founder,
  timeSeconds: number,
): Promise<FirstEntry> {
  const bytes = new TextEncoder().encode(canonicalJson({
    delegates: [didOfNid(signer.nodeId)],
    payload: { [PROJECT_PAYLOAD]: { defaultBranch, description, name } },
    threshold: 1,
    ...(visibility === "private" && { visibility: { type: "private" } }),
  }));
  const blob = hashObject("blob", bytes);
  const signature = encodeMultibase(await signVerified(signer, signer.nodeId, oidToBytes(blob)));
  const { id: root, objects } = await encodeEntry({
    typeName: IDENTITY_TYPE,
    actions: [{ type: "revision", title: "Initial revision", blob, parent: null, signature }],
    files: [{ name: "radicle.json", oid: blob, bytes }],
    tips: [],
    related: [],
    person: { name: alias, email: `${alias}@${signer.nodeId}` },
    timeSeconds,
    message: "Initialize identity",
  }, signer);
  return { rid: ridFromOid(blob), root, objects };
}

/**
 * Makes a repository with the commits of a history. The branch `main` of the history becomes the default
 * branch.
 *
 * @param root Path of the `storage` folder.
 */
export async function initRepository(
  { root, storage }: { readonly root: string; readonly storage: Storage },
  draft: ProjectDraft,
  founder: Founder,
  history: History,
  timeSeconds: number,
): Promise<WritableRepository> {
  const { rid, root: identity, objects } = await draftIdentity(draft, founder, timeSeconds);
  const { signer } = founder;
  const branch = `refs/heads/${draft.defaultBranch}`;
  const namespace = `refs/namespaces/${signer.nodeId}/`;
  const entry = `${namespace}refs/cobs/${IDENTITY_TYPE}/${identity}`;
  await makeFiles(`${root}/${rid.slice("rad:".length)}`, {
    HEAD: `ref: ${branch}\n`,
    [`${namespace}refs/rad/id`]: `ref: ${entry}\n`,
    config: CONFIG,
    ...Object.fromEntries(
      Object.entries(history.objects).map(([path, file]) => [`objects/${path}`, base64.decode(file)]),
    ),
  });
  const repository = await storage.repository(rid);
  if (repository === undefined || !isWritable(repository)) throw new Error(`Cannot make the demo: no ${rid}`);
  await repository.writeObjects(objects);
  const head = parseOid(history.oids["main"]!);
  for (const name of [`${namespace}${branch}`, branch]) await moveRef(repository, name, head);
  for (const name of [entry, IDENTITY_REF]) await moveRef(repository, name, identity);
  await signRefs(repository, { nid: signer.nodeId, signer, timeSeconds, generation: "newest" });
  return repository;
}

/** Makes the folders of a bare repository, and the given files (contents by path). */
async function makeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const name of FOLDERS) await mkdir(`${folder}/${name}`, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const path = `${folder}/${name}`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** Moves a reference to a commit, whatever the current target of the reference is. */
export async function moveRef(repository: WritableRepository, name: string, to: Oid): Promise<void> {
  const from = (await repository.ref(name))?.oid;
  if (!await repository.updateRef(name, { from, to })) {
    throw new Error(`Cannot make the demo: ${name} has moved`);
  }
}
