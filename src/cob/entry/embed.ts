/** Embeds: content beside a text, such as pictures (2.12). */
import * as v from "valibot";
import { Text } from "./fields.ts";

/** A reference to content: `git:<oid>` of a blob where programs wrote it, any text elsewhere. */
export const Embed = v.object({ name: Text, content: Text });

/** The members of {@link Embed}. */
export type Embed = v.InferOutput<typeof Embed>;

/** The embeds of an action that must list them. */
export const Embeds = v.array(Embed);

/** The embeds of an action that may leave them out. */
export const OptionalEmbeds = v.optional(Embeds, []);
