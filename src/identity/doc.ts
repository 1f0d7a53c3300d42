/**
 * Parses the identity document of a repository, with its delegates, threshold, visibility and project
 * (specification, 2.2).
 */
import { DamagedError, ifReadable } from "../errors.ts";
import { hashObject } from "../git/encode.ts";
import { type Did, tryParseDid } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { isRefString } from "../ids/refname.ts";
import { compareUtf8 } from "../text/utf8.ts";
import {
  CANONICAL_REFS_PAYLOAD,
  type CanonicalRefs,
  MAX_DELEGATES,
  readCanonicalRefs,
} from "./canonical_refs.ts";
import { DocMembers, type DocValue, isList, parseDocJson, toComparable, toCount } from "./doc_json.ts";
import type { HomeGeneration } from "./generation.ts";

/**
 * Defines who may read a repository. For a private repository, `allow` lists the nodes that may read it
 * without being delegates.
 */
export type Visibility = { readonly type: "public" } | {
  readonly type: "private";
  readonly allow?: readonly Did[];
};

export interface Project {
  readonly name: string;
  readonly description: string;
  /** Short name of the default branch, such as `main`. */
  readonly defaultBranch: string;
}

/** The parts of a document that the generations of Radicle programs read differently. */
export interface DocReading {
  /** The delegates as this generation counts them. Since release 1.1, duplicates are removed. */
  readonly delegates: readonly Did[];
  /**
   * Full name of the branch into which patches without a target are merged; `undefined` if this generation
   * finds no such branch.
   */
  readonly defaultBranch: string | undefined;
  /**
   * Canonical references. Only the newest programs read them, and only if all rules in the document are
   * valid.
   */
  readonly canonicalRefs: CanonicalRefs | undefined;
}

/** A validated identity document. */
export interface IdentityDoc {
  /**
   * The delegates in the order of the document, with duplicates. The first delegate has created the
   * repository.
   */
  readonly delegates: readonly Did[];
  /** Number of delegates that must agree: at least 1, at most all delegates. */
  readonly threshold: number;
  readonly visibility: Visibility;
  /**
   * The project; `undefined` when its payload is missing or malformed. The project is shown even if the
   * newest programs refuse its name.
   */
  readonly project: Project | undefined;
  /** All payloads as JSON, by id. The ids are in bytewise order, and members of objects are sorted. */
  readonly payloads: ReadonlyMap<string, string>;
  /** The values that each generation reads; `undefined` for a generation that refuses the document. */
  readonly readings: Readonly<Record<HomeGeneration, DocReading | undefined>>;
}

/** Id of the payload with the project. */
export const PROJECT_PAYLOAD = "xyz.radicle.project";
/** The only version of documents. Programs before release 1.1 ignore the member `version`. */
const DOC_VERSION = 1;
/** Maximum length of a text of a project, in bytes. */
const MAX_TEXT_BYTES = 255;
/** Approximate memory of a document in addition to its texts and DIDs, in bytes. */
const DOC_BYTES = 1024;
/** Approximate memory of a DID in a document, in bytes. */
const DID_BYTES = 256;
const BRANCHES = "refs/heads/";
/**
 * Members of a document in the order in which the Radicle programs define them. These programs also accept an
 * array of the values in this order.
 */
const EARLY_MEMBERS = ["payload", "delegates", "threshold", "visibility"];
const MEMBERS = ["version", ...EARLY_MEMBERS];
const PROJECT_MEMBERS = ["name", "description", "defaultBranch"];
/** Matches names of projects that the newest programs accept. */
const PROJECT_NAME = /^[\p{Alphabetic}\p{N}._-]+$/u;

/** The parsed members of a document, before the rules of a generation are applied. */
interface RawDoc {
  readonly version: DocValue | undefined;
  readonly payload: DocMembers;
  readonly delegates: readonly Did[];
  readonly threshold: number;
  readonly visibility: Visibility;
}

/**
 * Parses an identity document of any generation. Accepts duplicate delegates, unknown members and payloads,
 * and project names that newer programs refuse.
 *
 * @throws {DamagedError} when all generations refuse the document.
 */
export function parseDoc(bytes: Uint8Array): IdentityDoc {
  return toDoc(parseDocJson(bytes));
}

/**
 * Parses an identity document of any generation. Returns `undefined` when all generations refuse the
 * document.
 */
export function tryParseDoc(bytes: Uint8Array): IdentityDoc | undefined {
  return ifReadable(() => parseDoc(bytes));
}

/** Returns the approximate memory of a document, in bytes. */
export function docWeight({ delegates, visibility, project, payloads, readings }: IdentityDoc): number {
  const readers = visibility.type === "private" ? visibility.allow ?? [] : [];
  const rules = readings.newest?.canonicalRefs?.rules ?? [];
  const dids = rules.reduce((sum, { allowed }) => sum + allowed.length, delegates.length + readers.length);
  const texts = (project?.name.length ?? 0) + (project?.description.length ?? 0) +
    [...payloads].reduce((sum, [id, json]) => sum + id.length + json.length, 0) +
    rules.reduce((sum, { pattern }) => sum + pattern.length, 0);
  return DOC_BYTES + DID_BYTES * dids + 2 * texts;
}

/** Checks whether the newest programs accept a text as the name of a project. */
export function isProjectName(name: string): boolean {
  return PROJECT_NAME.test(name);
}

/**
 * Returns an id that is equal for all documents that have the same meaning to a generation. Such documents
 * may differ in unknown members, in the order of members, and in explicit default values. The Radicle
 * programs compare documents in the same way.
 *
 * @throws {DamagedError} when the generation refuses the document.
 */
export function docContent(bytes: Uint8Array, generation: HomeGeneration): Oid {
  const value = parseDocJson(bytes);
  const { readings, threshold, visibility } = toDoc(value);
  const reading = readings[generation];
  const payload = membersOf(value, knowsVersions(generation) ? MEMBERS : EARLY_MEMBERS)?.get("payload");
  if (reading === undefined || payload === undefined) {
    throw new DamagedError("An identity document is invalid");
  }
  const allow = visibility.type === "private" ? [...new Set(visibility.allow)].sort() : [];
  const text = JSON.stringify([toComparable(payload), reading.delegates, threshold, visibility.type, allow]);
  return hashObject("blob", new TextEncoder().encode(text));
}

function toDoc(value: DocValue): IdentityDoc {
  const late = readRawDoc(value, MEMBERS);
  // An object is read in the same way for all generations, unless it contains the member `version` twice.
  // Early programs do not know this member.
  const isAlike = value instanceof DocMembers && !value.repeated.has("version");
  const early = isAlike ? late : readRawDoc(value, EARLY_MEMBERS);
  const readings = {
    newest: late && readLate(late, true),
    "1.1": late && readLate(late, false),
    "0.10": early && readEarly(early, false),
    "2024": early && readEarly(early, true),
  };
  const raw = readings.newest === undefined ? early : late;
  if (raw === undefined || Object.values(readings).every((reading) => reading === undefined)) {
    throw new DamagedError("An identity document is invalid");
  }
  const { payload, delegates, threshold, visibility } = raw;
  const payloads = payloadTexts(payload);
  return { delegates, threshold, visibility, project: readProject(payload), payloads, readings };
}

/** Returns the payloads as JSON. Numbers are spelled as in the document. */
function payloadTexts({ values }: DocMembers): ReadonlyMap<string, string> {
  const sorted = [...values].sort(([a], [b]) => compareUtf8(a, b));
  return new Map(sorted.map(([id, payload]) => [id, toComparable(payload)]));
}

function knowsVersions(generation: HomeGeneration): boolean {
  return generation === "newest" || generation === "1.1";
}

/**
 * Reads a document as the programs since release 1.1 do. Only the newest programs (`knowsRules`) read
 * canonical references.
 */
function readLate(
  { version, payload, delegates: repeated, threshold }: RawDoc,
  knowsRules: boolean,
): DocReading | undefined {
  const delegates = [...new Set(repeated)];
  const isKnown = version === undefined || toCount(version) === DOC_VERSION;
  if (!isKnown || delegates.length > MAX_DELEGATES || threshold > delegates.length) return undefined;
  const project = readProject(payload);
  const short = project !== undefined && isProjectName(project.name) ? project.defaultBranch : undefined;
  if (!knowsRules) {
    return { delegates, defaultBranch: short && BRANCHES + short, canonicalRefs: undefined };
  }
  const canonicalRefs = readCanonicalRefs(payload.values.get(CANONICAL_REFS_PAYLOAD), {
    delegates,
    threshold,
    defaultBranch: short,
  });
  return { delegates, defaultBranch: canonicalRefs?.head, canonicalRefs };
}

/**
 * Reads a document as the programs of 2024 and 0.10 do. If `isStrict`, a project with unknown members is
 * ignored, as in the programs of 2024.
 */
function readEarly({ payload, delegates, threshold }: RawDoc, isStrict: boolean): DocReading | undefined {
  if (delegates.length > MAX_DELEGATES || threshold > delegates.length) return undefined;
  const project = readProject(payload, isStrict);
  return { delegates, defaultBranch: project && BRANCHES + project.defaultBranch, canonicalRefs: undefined };
}

function readRawDoc(value: DocValue, names: readonly string[]): RawDoc | undefined {
  const members = membersOf(value, names);
  const payload = members?.get("payload");
  const delegates = readDids(members?.get("delegates"), MAX_DELEGATES);
  const threshold = toCount(members?.get("threshold"));
  const visibility = members?.has("visibility")
    ? readVisibility(members.get("visibility")!)
    : { type: "public" } as const;
  const isWhole = payload instanceof DocMembers && delegates !== undefined && delegates.length > 0 &&
    threshold !== undefined && threshold > 0 && visibility !== undefined;
  return isWhole
    ? { version: members?.get("version"), payload, delegates, threshold, visibility }
    : undefined;
}

/**
 * Returns the members of an object. The Radicle programs also accept an array of the values in the order of
 * `names`. Returns `undefined` if a member is repeated, or if the array is too long.
 */
function membersOf(value: DocValue, names: readonly string[]): ReadonlyMap<string, DocValue> | undefined {
  if (value instanceof DocMembers) {
    return names.some((name) => value.repeated.has(name)) ? undefined : value.values;
  }
  if (!isList(value) || value.length > names.length) return undefined;
  return new Map(value.map((item, i) => [names[i]!, item]));
}

function readVisibility(value: DocValue): Visibility | undefined {
  const type = membersOf(value, ["type", "allow"].slice(0, isList(value) ? 2 : 1))?.get("type");
  // If the visibility is public, other members are ignored.
  if (type === "public") return isList(value) && value.length > 1 ? undefined : { type };
  const members = type === "private" ? membersOf(value, ["type", "allow"]) : undefined;
  if (type !== "private" || members === undefined) return undefined;
  const allow = members.has("allow") ? readDids(members.get("allow")) : [];
  if (allow === undefined) return undefined;
  return allow.length > 0 ? { type, allow } : { type };
}

/**
 * Parses DIDs. Returns `undefined` when an item is not a DID, or when there are more than `limit` different
 * DIDs.
 */
function readDids(value: DocValue | undefined, limit = Infinity): Did[] | undefined {
  if (!isList(value)) return undefined;
  const parsed = new Map<string, Did>();
  const different = new Set<Did>();
  const dids: Did[] = [];
  for (const text of value) {
    const did = typeof text === "string" ? parsed.get(text) ?? tryParseDid(text) : undefined;
    if (did === undefined) return undefined;
    parsed.set(text as string, did);
    dids.push(did);
    if (different.size < different.add(did).size && different.size > limit) return undefined;
  }
  return dids;
}

/**
 * Parses the project of a document. Returns `undefined` if there is no valid project. If `isStrict`, a
 * project with unknown members is invalid.
 */
function readProject({ values: payloads }: DocMembers, isStrict = false): Project | undefined {
  const payload = payloads.get(PROJECT_PAYLOAD);
  if (!(payload instanceof DocMembers)) return undefined;
  if (isStrict && [...payload.values.keys()].some((member) => !PROJECT_MEMBERS.includes(member))) {
    return undefined;
  }
  const [name, description, defaultBranch] = PROJECT_MEMBERS.map((member) => payload.values.get(member));
  const isValid = isShortText(name) && name !== "" && isShortText(description) &&
    isShortText(defaultBranch) && isRefString(defaultBranch);
  return isValid ? { name, description, defaultBranch } : undefined;
}

function isShortText(value: DocValue | undefined): value is string {
  return typeof value === "string" && new TextEncoder().encode(value).length <= MAX_TEXT_BYTES;
}
