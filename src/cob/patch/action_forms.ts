/** Members of actions on patches that clients may send in another form than the one that is stored. */
import type * as v from "valibot";
import { CodeLocation, SentCodeLocation } from "../issue/code_location.ts";
import { Emoji, SentEmoji } from "../issue/reaction.ts";

/** Schemas of such members. */
export interface ActionForms<L extends v.GenericSchema, E extends v.GenericSchema> {
  readonly location: L;
  readonly emoji: E;
}

/** Of stored actions. */
export const STORED_FORMS = { location: CodeLocation, emoji: Emoji } as const;

/** Of actions as clients send them. */
export const SENT_FORMS = { location: SentCodeLocation, emoji: SentEmoji } as const;
