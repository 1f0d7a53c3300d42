/** The identity document of a repository: delegates, threshold, visibility, project (2.2). */
import * as v from "valibot";
import { DamagedError } from "../errors.ts";
import { hashObject } from "../git/encode_object.ts";
import { type Did, tryParseDid } from "../ids/did.ts";
import type { Oid } from "../ids/oid.ts";
import { isRefname } from "../ids/refname.ts";

/** Who may read a repository. `allow` lists readers of a private one besides its delegates. */
export type Visibility = { readonly type: "public" } | {
  readonly type: "private";
  readonly allow?: readonly Did[];
};

/** The project payload. */
export interface Project {
  readonly name: string;
  readonly description: string;
  /** Short name of the default branch, `main`. */
  readonly defaultBranch: string;
}

/** A validated identity document. */
export interface IdentityDoc {
  /** In the document's order, repetitions kept; the first is the founder. */
  readonly delegates: readonly Did[];
  /** How many delegates must agree: 1 to the number of different delegates. */
  readonly threshold: number;
  readonly visibility: Visibility;
  /** Absent when the payload is absent or not as it should be. */
  readonly project: Project | undefined;
}

/** Id of the project payload. */
export const PROJECT_PAYLOAD = "xyz.radicle.project";
/** The only version of the document there is. */
const DOC_VERSION = 1;
const MAX_DELEGATES = 255;
const MAX_TEXT_BYTES = 255;

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
const DidText = v.pipe(v.string(), v.transform(tryParseDid), v.custom<Did>((did) => did !== undefined));
const ShortText = v.pipe(v.string(), v.check((text) => byteLength(text) <= MAX_TEXT_BYTES));
const ProjectPayload = v.object({
  name: v.pipe(ShortText, v.nonEmpty()),
  description: ShortText,
  defaultBranch: v.pipe(ShortText, v.check(isRefname)),
});
const VisibilityMember = v.variant("type", [
  v.object({ type: v.literal("public") }),
  v.object({ type: v.literal("private"), allow: v.optional(v.array(DidText)) }),
]);
const Doc = v.object({
  version: v.optional(v.literal(DOC_VERSION)),
  delegates: v.pipe(v.array(DidText), v.minLength(1), v.maxLength(MAX_DELEGATES)),
  threshold: v.pipe(v.number(), v.integer(), v.minValue(1)),
  visibility: v.optional(VisibilityMember, { type: "public" }),
  payload: v.record(v.string(), v.unknown()),
});

/**
 * Reads an identity document. All generations are read: repeated delegates, unknown members and payloads, names that newer programs no longer allow.
 *
 * @throws {DamagedError} when it is no document that any of the real programs accepts.
 */
export function parseDoc(bytes: Uint8Array): IdentityDoc {
  const parsed = v.safeParse(Doc, parseJson(bytes));
  if (!parsed.success) throw new DamagedError("An identity document is not as it should be");
  const { delegates, threshold, visibility, payload } = parsed.output;
  if (threshold > new Set(delegates).size) {
    throw new DamagedError("An identity document asks for more delegates than it has");
  }
  const project = v.safeParse(ProjectPayload, payload[PROJECT_PAYLOAD]);
  return {
    delegates,
    threshold,
    visibility: visibility.type === "private" && visibility.allow !== undefined && visibility.allow.length > 0
      ? { type: "private", allow: visibility.allow }
      : { type: visibility.type },
    project: project.success ? project.output : undefined,
  };
}

/**
 * The same id for documents that say the same, however they are spelled: members that programs do not know, the order of members and of readers, and
 * what is said by default do not count (as the real programs compare), nor do repeated delegates in documents of the newest programs.
 *
 * @param keepsRepeated Whether delegates that are named twice count twice.
 * @throws {DamagedError} when it is no document.
 */
export function docContent(bytes: Uint8Array, keepsRepeated: boolean): Oid {
  const { delegates, threshold, visibility } = parseDoc(bytes);
  const { payload } = v.parse(Doc, parseJson(bytes));
  const allow = visibility.type === "private" ? [...new Set(visibility.allow)].sort() : undefined;
  const counted = keepsRepeated ? delegates : [...new Set(delegates)];
  const text = sortedJson([payload, counted, threshold, visibility.type, allow ?? null]);
  return hashObject("blob", new TextEncoder().encode(text));
}

/** JSON with the members of objects in order of their names. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => a < b ? -1 : 1));
  });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new DamagedError("An identity document is no JSON");
  }
}
