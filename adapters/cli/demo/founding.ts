/** New repositories: the first identity document, which a repository has its id from, and the entry that founds its identity with it. */
import { DamagedError } from "../../../src/errors.ts";
import type { Person } from "../../../src/git/commit.ts";
import { hashObject } from "../../../src/git/encode_object.ts";
import {
  type IdentityDoc,
  isProjectName,
  parseDoc,
  type Project,
  PROJECT_PAYLOAD,
} from "../../../src/identity/doc.ts";
import type { HomeGeneration } from "../../../src/identity/generation.ts";
import { IDENTITY_REF } from "../../../src/identity/identity.ts";
import { signRefs } from "../../../src/identity/sigrefs_writer.ts";
import { signVerified } from "../../../src/identity/verified_signature.ts";
import { didOfNid } from "../../../src/ids/did.ts";
import { encodeMultibase } from "../../../src/ids/multibase.ts";
import { type Oid, oidToBytes } from "../../../src/ids/oid.ts";
import { type RepoId, ridFromOid } from "../../../src/ids/rid.ts";
import type { Signer } from "../../../src/ports/signer.ts";
import type { GitObject, WritableRepository } from "../../../src/ports/storage.ts";
import { WriteError } from "../../../src/ports/write_error.ts";
import { canonicalJson } from "../../../src/cob/write/canonical_json.ts";
import { encodeEntry } from "../../../src/cob/write/entry_draft.ts";
import { IDENTITY_TYPE } from "../../../src/cob/identity/identity_action.ts";

/** The document that a repository begins with: that of a project. */
export type FirstDoc = Pick<IdentityDoc, "delegates" | "threshold" | "visibility"> & {
  readonly project: Project;
};

/** What a repository is founded with. */
export interface FoundingDraft {
  readonly doc: FirstDoc;
  /** In whose name the entry is made: nobody looks at it. */
  readonly person: Person;
  /** Seconds since the Unix epoch, whole. */
  readonly timeSeconds: number;
}

/** A repository that can be made. */
export interface Founding {
  readonly rid: RepoId;
  /** The entry that founds the identity, which is also the identity's id. */
  readonly root: Oid;
  /** The entry's commit and everything that it needs. */
  readonly objects: readonly GitObject[];
  /** Short name of the default branch. */
  readonly defaultBranch: string;
  /** References that stand for others. A storage makes them along with the repository, as nothing changes them afterwards. */
  readonly symbolicRefs: Readonly<Record<string, string>>;
}

/** Where the branch begins, and how references are signed. */
export interface FoundingOptions {
  /** The founder's. */
  readonly signer: Signer;
  /** The commit that the default branch begins with; it is there. */
  readonly head: Oid;
  /** Time of the signed references, whole seconds since the Unix epoch. */
  readonly timeSeconds: number;
  /** Which programs work on the storage. */
  readonly generation: HomeGeneration;
}

const encoder = new TextEncoder();

/**
 * The bytes of an identity document: canonical JSON, as all programs write it.
 *
 * @throws {TypeError} when not all of them would read it: a threshold that the delegates cannot reach, a delegate twice, a name of more than letters,
 * digits and `-_.`, texts of more than 255 bytes.
 */
export function encodeDoc({ delegates, threshold, visibility, project }: FirstDoc): Uint8Array<ArrayBuffer> {
  const { name, description, defaultBranch } = project;
  const { allow = [] } = visibility.type === "private" ? visibility : {};
  const bytes = encoder.encode(canonicalJson({
    delegates,
    payload: { [PROJECT_PAYLOAD]: { defaultBranch, description, name } },
    threshold,
    ...(visibility.type === "private" && {
      visibility: { type: "private", ...(allow.length > 0 && { allow: [...new Set(allow)].sort() }) },
    }),
  }));
  const isReadable = isProjectName(name) && new Set(delegates).size === delegates.length &&
    tryParseDoc(bytes)?.project !== undefined;
  if (!isReadable) throw new TypeError(`Not all programs could read the identity document of "${name}"`);
  return bytes;
}

/**
 * Makes the id of a new repository and the entry that founds its identity. Nothing is stored yet.
 *
 * @param signer The founder's: the first delegate's.
 * @throws {TypeError} when the document is none for a new repository ({@link encodeDoc}), or its first delegate is somebody else.
 * @throws {ApiError} `unauthorized` when the key is unusable.
 */
export async function draftFounding(
  { doc, person, timeSeconds }: FoundingDraft,
  signer: Signer,
): Promise<Founding> {
  if (doc.delegates[0] !== didOfNid(signer.nodeId)) {
    throw new TypeError("The first delegate must be the founder");
  }
  const bytes = encodeDoc(doc);
  const blob = hashObject("blob", bytes);
  const action = {
    type: "revision",
    title: "Initial revision",
    blob,
    parent: null,
    signature: encodeMultibase(await signVerified(signer, signer.nodeId, oidToBytes(blob))),
  };
  const { id: root, objects } = await encodeEntry({
    typeName: IDENTITY_TYPE,
    actions: [action],
    files: [{ name: "radicle.json", oid: blob, bytes }],
    tips: [],
    related: [],
    person,
    timeSeconds,
    message: "Initialize identity",
  }, signer);
  const { defaultBranch } = doc.project;
  return {
    rid: ridFromOid(blob),
    root,
    objects,
    defaultBranch,
    symbolicRefs: {
      HEAD: `refs/heads/${defaultBranch}`,
      [`${namespaceOf(signer)}refs/rad/id`]: `${namespaceOf(signer)}refs/cobs/${IDENTITY_TYPE}/${root}`,
    },
  };
}

/**
 * Founds a repository: stores its identity, lets its references begin, and signs those of the founder.
 *
 * @param repository A repository of that id, empty but for the {@link Founding.symbolicRefs} and the commits that `head` leads to.
 * @throws {WriteError} `conflict` when it has such references already.
 * @throws {ApiError} `unauthorized` when the key has become unusable.
 */
export async function foundRepository(
  repository: WritableRepository,
  { root, objects, defaultBranch }: Founding,
  { signer, head, timeSeconds, generation }: FoundingOptions,
): Promise<void> {
  await repository.writeObjects(objects);
  const namespace = namespaceOf(signer);
  // In the order of the real programs: what is there when this ends early is a repository without identity, which all pass over.
  const refs = [
    [`${namespace}refs/cobs/${IDENTITY_TYPE}/${root}`, root],
    [`${namespace}refs/heads/${defaultBranch}`, head],
    [`refs/heads/${defaultBranch}`, head],
    [IDENTITY_REF, root],
  ] as const;
  for (const [name, to] of refs) {
    if (!await repository.updateRef(name, { from: undefined, to })) {
      throw new WriteError("conflict", `The repository ${repository.rid} has ${name} already`);
    }
  }
  await signRefs(repository, { nid: signer.nodeId, signer, timeSeconds, generation });
}

function tryParseDoc(bytes: Uint8Array): IdentityDoc | undefined {
  try {
    return parseDoc(bytes);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

function namespaceOf({ nodeId }: Signer): string {
  return `refs/namespaces/${nodeId}/`;
}
