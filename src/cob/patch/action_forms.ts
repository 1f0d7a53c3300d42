/**
 * Schemas that actions on revisions and actions on reviews share. Each schema has two versions: for actions
 * as they are stored, and for actions as clients send them.
 */
import * as v from "valibot";
import { Embeds } from "../entry/entry.ts";
import { OidText, Text } from "../entry/fields.ts";
import { CodeLocation, SentCodeLocation } from "../issue/code_location.ts";
import { Emoji, SentEmoji } from "../issue/reaction.ts";

/** Schemas of properties that clients may send in another format than the stored format. */
export interface ActionForms<L extends v.GenericSchema, E extends v.GenericSchema> {
  readonly location: L;
  readonly emoji: E;
}

export const STORED_FORMS = { location: v.nullish(CodeLocation), emoji: Emoji } as const;
export const SENT_FORMS = { location: v.nullish(SentCodeLocation), emoji: SentEmoji } as const;

/**
 * Creates the schemas of the actions that change a comment on a revision or a review.
 *
 * @param part Schema of the property with the id of the revision or review.
 */
export function commentChanges<N extends "revision" | "review", E extends v.GenericSchema>(
  name: N,
  part: { readonly [M in N]: typeof OidText },
  { emoji }: Pick<ActionForms<v.GenericSchema, E>, "emoji">,
) {
  const place = { ...part, comment: OidText };
  return [
    v.object({ type: v.literal(`${name}.comment.edit` as const), ...place, body: Text, embeds: Embeds }),
    v.object({
      type: v.literal(`${name}.comment.react` as const),
      ...place,
      reaction: emoji,
      active: v.boolean(),
    }),
    v.object({ type: v.literal(`${name}.comment.redact` as const), ...place }),
  ] as const;
}
