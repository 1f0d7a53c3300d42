/**
 * Verdicts as derived data. A verdict is the result of verifying the signed references of a node, or of
 * evaluating the identity of a repository. The process that publishes a home into a bucket has verified the
 * signatures, so that replicas need not verify them. A verdict contains the ids of the commits on which it is
 * based. If the references of the repository point to other commits, the verdict is ignored and the
 * signatures are verified.
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
import type { Task } from "../scheduling/task.ts";
import { GENERATIONS, type HomeGeneration } from "./generation.ts";

/** Version of the format. Increase it when the meaning of a verdict changes. */
const VERDICTS_VERSION = 2;
/** Name of the verdicts in the derived data. */
export const VERDICTS_NAME = `verdicts-${VERDICTS_VERSION}`;
/** Maximum size of a file of verdicts, in bytes of uncompressed JSON: enough for some 40,000 nodes. */
export const MAX_VERDICTS_BYTES = 2 ** 22;

/** Approximate memory of a verdict about a node, in bytes. */
const VERDICT_WEIGHT = 250;
/** Approximate memory of the other content of a file of verdicts, in bytes. */
const FILE_WEIGHT = 512;

/** Verdict about the signed references of a node. */
export interface SigrefsVerdict {
  /** The last commit, which is the target of the reference to the signed references. */
  readonly tip: Oid;
  /**
   * The commit whose references are valid, usually `tip`. `undefined` when all commits are permanently
   * refused.
   */
  readonly shown: Oid | undefined;
}

/**
 * Verdict about the identity of a repository without the reference `refs/rad/id`, which usually points to the
 * commit of the identity document.
 */
export interface IdentityVerdict {
  /** Name of the rules by which the identity was evaluated. */
  readonly rules: string;
  /** Digest of the references on which the verdict is based ({@link identityInputs}). */
  readonly inputs: string;
  /** Commit of the current identity document. */
  readonly commit: Oid;
}

export interface Verdicts {
  /** The generation by whose rules signed references are verified, even for nodes without a verdict. */
  readonly rules: HomeGeneration;
  /** Verdicts about the nodes whose signed references were verified. */
  readonly signed: ReadonlyMap<NodeId, SigrefsVerdict>;
  readonly identity: IdentityVerdict | undefined;
}

/**
 * Verdicts by repository and digest of their file. `"none"` means that the file does not contain verdicts.
 */
export type VerdictCache = LruMap<string, Verdicts | "none">;

export function createVerdictCache(memory: Memory = new Memory()): VerdictCache {
  return memory.map(
    "signedRefs",
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
  rules: v.picklist(GENERATIONS),
  /**
   * Node id, last commit, and the commit whose references are valid. The third item is absent when it equals
   * the last commit, and `null` when all commits are refused.
   */
  signed: v.array(
    v.union([v.strictTuple([NidText, OidText]), v.strictTuple([NidText, OidText, v.nullable(OidText)])]),
  ),
  identity: v.nullable(v.strictObject({ rules: v.string(), inputs: v.string(), commit: OidText })),
});

/**
 * Encodes verdicts. When there are too many verdicts about nodes, all of them are left out, and readers
 * verify the nodes themselves by the same rules.
 */
export async function encodeVerdicts(
  rid: RepoId,
  { rules, signed, identity }: Verdicts,
): Promise<DerivedFile> {
  const encode = (rows: readonly unknown[]) =>
    new TextEncoder().encode(
      JSON.stringify({ version: VERDICTS_VERSION, rid, rules, signed: rows, identity: identity ?? null }),
    );
  const bytes = encode(
    Array.from(signed, ([nid, { tip, shown }]) => shown === tip ? [nid, tip] : [nid, tip, shown ?? null]),
  );
  return await toFile(await compressed(bytes.length <= MAX_VERDICTS_BYTES ? bytes : encode([])));
}

/** Decodes verdicts. Returns `undefined` when the bytes are not verdicts of this repository and version. */
export async function decodeVerdicts(rid: RepoId, packed: Uint8Array): Promise<Verdicts | undefined> {
  const value = await decompressedJson(packed, MAX_VERDICTS_BYTES);
  const result = v.safeParse(VerdictsSchema, value, { abortEarly: true });
  if (!result.success || result.output.rid !== rid) return undefined;
  const { rules, signed, identity } = result.output;
  return {
    rules,
    signed: new Map(signed.map(([nid, tip, shown = tip]) => [nid, { tip, shown: shown ?? undefined }])),
    identity: identity ?? undefined,
  };
}

/** Reads the verdicts about a repository. Returns `undefined` when no verdicts can be read. */
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
      // A file that cannot be read now may be stored later.
      if (bytes === undefined) return undefined;
      cache.set(key, found = await decodeVerdicts(rid, bytes) ?? "none");
    }
    return found === "none" ? undefined : found;
  } catch {
    return undefined;
  }
}

/** Returns the digest of the references that determine the identity of a repository without `refs/rad/id`. */
export async function identityInputs(repository: Repository, task: Task): Promise<string> {
  const nodes = await resolveRefs(repository, "refs/namespaces/*/refs/rad/", task);
  const objects = await resolveRefs(repository, "refs/namespaces/*/refs/cobs/xyz.radicle.id/", task);
  return `${await digestOfRefs(nodes, task)} ${await digestOfRefs(objects, task)}`;
}

/**
 * Returns the commit of the current identity document from the verdict. Returns `undefined` when the identity
 * must be evaluated.
 */
export async function savedIdentity(
  repository: Repository,
  rules: string,
  cache: VerdictCache,
  task: Task,
): Promise<Oid | undefined> {
  const identity = (await readVerdicts(repository, cache))?.identity;
  const isOfRules = identity?.rules === rules;
  return isOfRules && identity.inputs === await identityInputs(repository, task)
    ? identity.commit
    : undefined;
}
