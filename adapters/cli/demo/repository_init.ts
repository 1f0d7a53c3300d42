/**
 * Initialization of a repository, as by `rad init`: the first identity document, which determines the
 * repository's id, and the entry with it.
 */
import type { Person } from "../../../src/git/commit.ts";
import { hashObject } from "../../../src/git/encode_object.ts";
import {
  type IdentityDoc,
  isProjectName,
  type Project,
  PROJECT_PAYLOAD,
  tryParseDoc,
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

/** The first document of a repository: that of a project. */
export type FirstDoc = Pick<IdentityDoc, "delegates" | "threshold" | "visibility"> & {
  readonly project: Project;
};

/** Input of {@link draftInit}. */
export interface InitDraft {
  readonly doc: FirstDoc;
  /** Author of the entry; no program uses it. */
  readonly person: Person;
  /** Seconds since the Unix epoch, whole. */
  readonly timeSeconds: number;
}

/** A repository to be created. */
export interface RepositoryInit {
  readonly rid: RepoId;
  /** The first entry of the identity, which is also the identity's id. */
  readonly root: Oid;
  /** The entry's commit with all objects that belong to it. */
  readonly objects: readonly GitObject[];
  /** Short name of the default branch. */
  readonly defaultBranch: string;
  /** Symbolic references. The storage creates them with the repository; they never change. */
  readonly symbolicRefs: Readonly<Record<string, string>>;
}

/** Options of {@link initRepository}. */
export interface InitOptions {
  /** The signer of the first delegate. */
  readonly signer: Signer;
  /** First commit of the default branch; it exists already. */
  readonly head: Oid;
  /** Time of the signed references, whole seconds since the Unix epoch. */
  readonly timeSeconds: number;
  /** Generation of the programs that use the storage. */
  readonly generation: HomeGeneration;
}

const encoder = new TextEncoder();

/**
 * Encodes an identity document as canonical JSON, like all programs.
 *
 * @throws {TypeError} when some programs could not read it: a threshold above the number of delegates, a
 *   duplicate delegate, a name with other characters than letters, digits and `-_.`, a text of more than 255
 *   bytes.
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
 * Computes the id of a new repository and the first entry of its identity. Nothing is stored yet.
 *
 * @param signer The signer of the first delegate.
 * @throws {TypeError} when the document is not valid for a new repository ({@link encodeDoc}), or the signer
 *   is not its first delegate.
 * @throws {ApiError} `unauthorized` when the key is unusable.
 */
export async function draftInit(
  { doc, person, timeSeconds }: InitDraft,
  signer: Signer,
): Promise<RepositoryInit> {
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
 * Initializes a repository: stores its identity, creates its references, and signs those of the first
 * delegate.
 *
 * @param repository A repository with this id, empty except for {@link RepositoryInit.symbolicRefs} and the
 *   history of `head`.
 * @throws {WriteError} `conflict` when one of the references exists already.
 * @throws {ApiError} `unauthorized` when the key has become unusable.
 */
export async function initRepository(
  repository: WritableRepository,
  { root, objects, defaultBranch }: RepositoryInit,
  { signer, head, timeSeconds, generation }: InitOptions,
): Promise<void> {
  await repository.writeObjects(objects);
  const namespace = namespaceOf(signer);
  // The order of the real programs: after a crash there is a repository without identity, which all ignore.
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

function namespaceOf({ nodeId }: Signer): string {
  return `refs/namespaces/${nodeId}/`;
}
