/** Texts that are truncated in the state of an object: read again while the object is shown (2.17). */
import type { CodeLocation } from "../cob/issue/code_location.ts";
import type { Issue } from "../cob/issue/issue.ts";
import { type Comment, latest, listComments, type Thread } from "../cob/issue/thread.ts";
import type { TextSource } from "../cob/entry/state_forms.ts";
import type { Truncated } from "../cob/op.ts";
import { listReviews, listRevisions, type Patch } from "../cob/patch/patch_state.ts";
import type { Oid } from "../ids/oid.ts";
import { LaterValue } from "../text/json_slices.ts";

/** Bytes of entries that are read again for one answer; an entry counts whenever it follows another one. */
export const READ_AGAIN_BYTES = 64 * 2 ** 20;
/** Memory of an entry while its texts are shown, in multiples of its bytes, about. */
const HELD_FACTOR = 3;

/** Members of actions, and of their parts, that can be truncated. */
interface Texts {
  readonly title?: string;
  readonly body?: string;
  readonly description?: string;
  readonly summary?: string | null;
  readonly embeds?: readonly unknown[];
  readonly location?: CodeLocation | null;
}

/** Reads the actions of an entry. @throws {DamagedError} when the entry is there no more. */
export type ReadActions = (entry: Oid) => Promise<readonly unknown[]>;

/** The truncated texts of one object that its answer shows in full: the first ones in it. */
export class WholeTexts {
  readonly #sources = new Set<TextSource>();
  readonly #read: ReadActions;
  #last: { readonly entry: Oid; readonly actions: readonly unknown[] } | undefined;
  /** Whether all truncated texts are shown in full. */
  readonly isComplete: boolean;
  /** Memory while the answer is made, in bytes, about. */
  readonly heldBytes: number;

  /**
   * @param groups Parts of an object with truncated texts, in the order in which they are shown. The texts of
   * a group are shown in full together or not at all.
   * @param limitBytes Replaces {@link READ_AGAIN_BYTES}.
   */
  constructor(
    groups: Iterable<readonly Truncated[]>,
    read: ReadActions,
    limitBytes: number = READ_AGAIN_BYTES,
  ) {
    this.#read = read;
    let sum = 0;
    let largest = 0;
    let isComplete = true;
    let last: Oid | undefined;
    for (const group of groups) {
      const sources = group.flatMap(({ source }) => source ?? []);
      let cost = 0;
      let before = last;
      for (const { entry, bytes } of sources) {
        if (entry !== before) cost += bytes;
        before = entry;
      }
      if (sum + cost > limitBytes) {
        isComplete = false;
        continue;
      }
      sum += cost;
      last = before;
      for (const source of sources) {
        this.#sources.add(source);
        largest = Math.max(largest, source.bytes);
      }
    }
    this.isComplete = isComplete;
    this.heldBytes = HELD_FACTOR * largest;
  }

  /** Whether any text of these parts stays truncated. */
  leavesOut(parts: readonly Truncated[]): boolean {
    return parts.some(({ source }) => source !== undefined && !this.#sources.has(source));
  }

  /** The title of a part of an object, or its text: of a comment, a description or a summary. */
  text<T extends string | null>(part: Truncated, short: T): T {
    return this.#later(
      part,
      short,
      ({ title, body, description, summary }) => title ?? body ?? description ?? summary ?? null,
    );
  }

  /** The embeds of a part of an object. */
  embeds<T>(part: Truncated, short: T): T {
    return this.#later(part, short, ({ embeds }) => embeds ?? []);
  }

  /** The location of a comment or reaction. @param form Makes its wire form. */
  location<T>(part: Truncated, short: CodeLocation, form: (location: CodeLocation) => T): T {
    return this.#later(part, form(short), ({ location }) => location ? form(location) : null);
  }

  #later<T>({ source }: Truncated, short: T, pick: (action: Texts) => unknown): T {
    if (source === undefined || !this.#sources.has(source)) return short;
    return new LaterValue(async () => pick(await this.#action(source))) as T;
  }

  /** One entry is held at a time. */
  async #action({ entry, action }: TextSource): Promise<Texts> {
    if (this.#last?.entry !== entry) {
      this.#last = undefined;
      this.#last = { entry, actions: await this.#read(entry) };
    }
    return this.#last.actions[action] as Texts;
  }
}

/** The parts of an issue with texts, in the order in which {@link toIssueView} shows them. */
export function* textsOfIssue({ titleSource, thread }: Issue): Generator<readonly Truncated[]> {
  yield titleOf(titleSource);
  yield* threadTexts(thread);
}

/**
 * The parts of a patch with texts, in the order in which {@link toPatchView} shows them.
 *
 * @param reviewsOf The reviews of a revision in the order of another view.
 */
export function* textsOfPatch(
  patch: Patch,
  reviewsOf: typeof listReviews = listReviews,
): Generator<readonly Truncated[]> {
  yield titleOf(patch.titleSource);
  for (const revision of listRevisions(patch)) {
    yield [latest(revision.description), ...revision.description, ...revision.reactions.values()];
    yield* threadTexts(revision.discussion);
    for (const { review } of reviewsOf(patch, revision)) {
      yield [latest(review.summary)];
      yield* threadTexts(review.comments);
    }
  }
}

/** A title, whose source an issue or patch has. */
export function titleOf(source: TextSource | undefined): readonly Truncated[] {
  return source === undefined ? [] : [{ source }];
}

function* threadTexts(thread: Thread): Generator<readonly Truncated[]> {
  for (const comment of listComments(thread)) yield commentTexts(comment);
}

/** The versions of a comment in the order in which they are shown: the last one comes first, too. */
function commentTexts({ edits }: Comment): readonly Truncated[] {
  return [latest(edits), ...edits];
}
