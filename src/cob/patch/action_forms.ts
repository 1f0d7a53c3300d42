/** Forms that actions on revisions and on reviews have in common: as stored, and as clients send them. */
import * as v from "valibot";
import { Embeds } from "../entry/entry.ts";
import { OidText, Text } from "../entry/fields.ts";
import { CodeLocation, SentCodeLocation } from "../issue/code_location.ts";
import { Emoji, SentEmoji } from "../issue/reaction.ts";

/** Schemas of members that clients may send in another form. */
export interface ActionForms<L extends v.GenericSchema, E extends v.GenericSchema> {
  readonly location: L;
  readonly emoji: E;
}

export const STORED_FORMS = { location: v.nullish(CodeLocation), emoji: Emoji } as const;
export const SENT_FORMS = { location: v.nullish(SentCodeLocation), emoji: SentEmoji } as const;

/**
 * Changes of a comment on a part of a patch.
 *
 * @param part The part, a member with its id.
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
