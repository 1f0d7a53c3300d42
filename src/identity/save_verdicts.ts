/** Saves verdicts about signed references and the identity of a repository as derived data. */
import { DamagedError } from "../errors.ts";
import { resolveRef } from "../git/references.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { DerivedData, DerivedFile, DerivedRoot } from "../ports/derived_data.ts";
import type { Repository } from "../ports/storage.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { type FindIdentity, IDENTITY_REF } from "./identity.ts";
import { listNamespaces } from "./remotes.ts";
import { sigrefsRef, verifySigrefs } from "./sigrefs.ts";
import {
  createVerdictCache,
  encodeVerdicts,
  identityInputs,
  type IdentityVerdict,
  readVerdicts,
  VERDICTS_NAME,
} from "./verdicts.ts";

/** Parts of saving. */
export interface SaveVerdictsParts {
  /** With the references that are published. */
  readonly repository: Repository;
  /** Rules by which the identity is evaluated. */
  readonly rules: string;
  /** Finds the identity of a repository that does not name it. */
  readonly find: FindIdentity;
  /** Derived data that were saved before: what they say is not verified again. */
  readonly earlier: DerivedData | undefined;
  /** Is given the file, if it is new. */
  write(file: DerivedFile): Promise<void>;
}

/** Saves the verdicts about a repository; `undefined` when they are too many. */
export async function saveVerdicts(parts: SaveVerdictsParts): Promise<DerivedRoot | undefined> {
  const { repository, earlier, write } = parts;
  const { rid } = repository;
  const slices = new TimeSlices();
  const before = await readVerdicts({ rid, derived: earlier }, createVerdictCache());
  const signed = new Map<NodeId, Oid>();
  for (const nid of await listNamespaces(repository, slices)) {
    const oid = (await resolveRef(repository, sigrefsRef(nid)))?.oid;
    if (oid === undefined) continue;
    if (before?.signed.get(nid) === oid || await isSigned(repository, nid, oid)) signed.set(nid, oid);
    await slices.next();
  }
  const file = await encodeVerdicts(rid, { signed, identity: await identityVerdict(parts) });
  if (file === undefined) return undefined;
  await write(file);
  const { digest, bytes } = file;
  return { name: VERDICTS_NAME, digest, files: [{ digest, bytes: bytes.length }] };
}

async function isSigned(repository: Repository, nid: NodeId, oid: Oid): Promise<boolean> {
  try {
    await verifySigrefs(repository, nid, oid);
    return true;
  } catch (error) {
    if (error instanceof DamagedError) return false;
    throw error;
  }
}

async function identityVerdict(
  { repository, rules, find }: SaveVerdictsParts,
): Promise<IdentityVerdict | undefined> {
  if (await resolveRef(repository, IDENTITY_REF) !== undefined) return undefined;
  const commit = await find(repository);
  return commit && { rules, inputs: await identityInputs(repository), commit };
}
