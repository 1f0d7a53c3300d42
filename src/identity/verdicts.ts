/**
 * Verdicts about signed references and about the identity, as derived data: whoever publishes a repository
 * has verified its signatures, so that readers need not. A verdict states the ids that it follows from. It is
 * used only where these are the repository's own; else the signatures are verified.
 */
import * as v from "valibot";
import { compressed, decompressedJson } from "../bytes/compressed.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { readFile, toFile } from "../derived/derived_files.ts";
import { digestOfRefs, resolveRefs } from "../git/references.ts";
import { type NodeId, tryParseNid } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { DerivedData, DerivedFile } from "../ports/derived_data.ts";
import type { Repository } from "../ports/storage.ts";

/** Raised when the meaning of a verdict changes. */
const VERDICTS_VERSION = 1;
/** Name of the verdicts. */
export const VERDICTS_NAME = `verdicts-${VERDICTS_VERSION}`;
/** Longest file of verdicts, in bytes of JSON: those of some 40,000 nodes. */
export const MAX_VERDICTS_BYTES = 2 ** 22;

/** Approximate memory of a verdict about a node, and of a file, in bytes. */
const VERDICT_WEIGHT = 250;
const FILE_WEIGHT = 512;

/** Verdict about the identity of a repository that does not name its document (`refs/rad/id`). */
export interface IdentityVerdict {
  /** Rules by which the identity was evaluated. */
  readonly rules: string;
  /** Digest of the references that it follows from ({@link identityInputs}). */
  readonly inputs: string;
  /** Commit of the document in force. */
  readonly commit: Oid;
}

/** The verdicts about a repository. */
export interface Verdicts {
  /** For each node the commit of its signed references, which verify. Others are not there. */
  readonly signed: ReadonlyMap<NodeId, Oid>;
  readonly identity: IdentityVerdict | undefined;
}

/** Verdicts by repository and digest of the file; "none" for bytes that are none. */
export type VerdictCache = LruMap<string, Verdicts | "none">;

/** Creates an empty cache of verdicts. */
export function createVerdictCache(memory: Memory = new Memory()): VerdictCache {
  return memory.map(
    "verdicts",
    (found) => found === "none" ? FILE_WEIGHT : FILE_WEIGHT + VERDICT_WEIGHT * found.signed.size,
  );
}

const OidText = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/), v.transform((text) => text as Oid));
const NidText = v.pipe(
  v.string(),
  v.check((text) => tryParseNid(text) === text),
  v.transform((text) => text as NodeId),
);
const VerdictsSchema = v.strictObject({
  version: v.literal(VERDICTS_VERSION),
  rid: v.string(),
  signed: v.array(v.strictTuple([NidText, OidText])),
  identity: v.nullable(v.strictObject({ rules: v.string(), inputs: v.string(), commit: OidText })),
});

/** Encodes verdicts; `undefined` when they are too many. */
export async function encodeVerdicts(
  rid: RepoId,
  { signed, identity }: Verdicts,
): Promise<DerivedFile | undefined> {
  const value = { version: VERDICTS_VERSION, rid, signed: [...signed], identity: identity ?? null };
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return bytes.length <= MAX_VERDICTS_BYTES ? await toFile(await compressed(bytes)) : undefined;
}

/** Decodes verdicts; `undefined` when the bytes are none of this repository and version. */
export async function decodeVerdicts(rid: RepoId, packed: Uint8Array): Promise<Verdicts | undefined> {
  const value = await decompressedJson(packed, MAX_VERDICTS_BYTES);
  const result = v.safeParse(VerdictsSchema, value, { abortEarly: true });
  if (!result.success || result.output.rid !== rid) return undefined;
  const { signed, identity } = result.output;
  return { signed: new Map(signed), identity: identity ?? undefined };
}

/** Reads the verdicts about a repository; `undefined` when there are none that can be read. */
export async function readVerdicts(
  { rid, derived }: { readonly rid: RepoId; readonly derived?: DerivedData | undefined },
  cache: VerdictCache,
): Promise<Verdicts | undefined> {
  if (derived === undefined) return undefined;
  try {
    const digest = await derived.named(VERDICTS_NAME);
    if (digest === undefined) return undefined;
    const key = `${rid} ${digest}`;
    let found = cache.get(key);
    if (found === undefined) {
      const bytes = await readFile(derived, digest, MAX_VERDICTS_BYTES);
      // Bytes that cannot be read now may be there later.
      if (bytes === undefined) return undefined;
      cache.set(key, found = await decodeVerdicts(rid, bytes) ?? "none");
    }
    return found === "none" ? undefined : found;
  } catch {
    return undefined;
  }
}

/** Digest of the references that the identity of a repository without `refs/rad/id` follows from. */
export async function identityInputs(repository: Repository): Promise<string> {
  const nodes = await resolveRefs(repository, "refs/namespaces/*/refs/rad/");
  const objects = await resolveRefs(repository, "refs/namespaces/*/refs/cobs/xyz.radicle.id/");
  return `${await digestOfRefs(nodes)} ${await digestOfRefs(objects)}`;
}

/** The commit of the identity document in force, by its verdict; `undefined` when it has to be found. */
export async function savedIdentity(
  repository: Repository,
  rules: string,
  cache: VerdictCache,
): Promise<Oid | undefined> {
  const identity = (await readVerdicts(repository, cache))?.identity;
  if (identity?.rules !== rules || identity.inputs !== await identityInputs(repository)) return undefined;
  return identity.commit;
}
