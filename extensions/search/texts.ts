/**
 * Makes the texts for the full-text index from repositories, issues and patches. Redacted texts are left out.
 * When this module makes other texts than before, raise the version of the index (`FORMAT` in
 * `adapters/node/search_database.ts`).
 */
import {
  type Issue,
  latest,
  listComments,
  listReviews,
  listRevisions,
  type Patch,
  type Project,
  type Thread,
} from "../../src/mod.ts";
import type { SearchKind, SearchText } from "./search_index.ts";
import { toIndexed } from "./words.ts";

/**
 * Maximum size of the text of an issue or patch in the index, in bytes. The title comes first, then the
 * description, and then the comments in their order.
 */
export const MAX_OBJECT_BYTES = 64 * 1024;
/** Maximum size of a title in the index, in bytes. */
export const MAX_TITLE_BYTES = 1024;

const encoder = new TextEncoder();

export function textOfProject({ name, description }: Project): SearchText {
  return toText("repository", undefined, name, [description], "");
}

export function textOfIssue({ id, title, state, thread }: Issue): SearchText {
  return toText("issue", id, title, bodiesOf(thread), state.status);
}

/**
 * Returns the text of a patch: its title, the descriptions and comments of its revisions, and the reviews
 * with their comments.
 */
export function textOfPatch(patch: Patch): SearchText {
  return toText("patch", patch.id, patch.title, bodiesOfPatch(patch), patch.state.status);
}

/** Returns the kind and the object id in the key of a text. */
export function partsOfKey(key: string): { readonly kind: SearchKind; readonly id: string | undefined } {
  const [kind, id] = key.split(" ");
  return { kind: kind as SearchKind, id };
}

function* bodiesOf(thread: Thread): Generator<string> {
  // `listComments` returns an edited comment twice.
  for (const comment of new Set(listComments(thread))) yield latest(comment.edits).body;
}

function* bodiesOfPatch(patch: Patch): Generator<string> {
  for (const revision of listRevisions(patch)) {
    yield latest(revision.description).body;
    yield* bodiesOf(revision.discussion);
    for (const { review } of listReviews(patch, revision)) {
      yield latest(review.summary).body ?? "";
      yield* bodiesOf(review.comments);
    }
  }
}

function toText(
  kind: SearchKind,
  id: string | undefined,
  title: string,
  bodies: Iterable<string>,
  status: string,
): SearchText {
  const key = id === undefined ? kind : `${kind} ${id}`;
  const shortTitle = cut(toIndexed(title.slice(0, MAX_TITLE_BYTES)), MAX_TITLE_BYTES);
  let room = MAX_OBJECT_BYTES - shortTitle.length;
  const parts: string[] = [];
  for (const body of bodies) {
    if (room <= 0) break;
    if (body === "") continue;
    // To save work, a long text is cut before it is converted.
    const part = cut(toIndexed(body.slice(0, room)), room);
    parts.push(part);
    room -= encoder.encode(part).length + 1;
  }
  return { key, title: shortTitle, body: parts.join("\n"), status };
}

/** Returns the longest beginning of a text that fits into the given number of bytes in UTF-8. */
function cut(text: string, limitBytes: number): string {
  if (text.length * 3 <= limitBytes) return text.toWellFormed();
  const { read } = encoder.encodeInto(text, new Uint8Array(limitBytes));
  return text.slice(0, read).toWellFormed();
}
