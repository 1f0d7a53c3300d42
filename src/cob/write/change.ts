/** Changes requested by clients, before they become entries. */
import { ApiError } from "../../errors.ts";
import type { Repository } from "../../ports/storage.ts";
import { type Action, messageFor } from "./action_form.ts";
import { type EmbedFile, resolveEmbeds } from "./embed_files.ts";

/** Content of one entry. */
export interface Change {
  readonly actions: readonly Action[];
  /** Files that the actions refer to. */
  readonly files: readonly EmbedFile[];
  /** Message of the entry's commit. */
  readonly message: string;
}

/**
 * A change of one action, with its embeds resolved.
 *
 * @throws {ApiError} `unprocessable` for a comment without text, and as `resolveEmbeds` does.
 */
export async function toChange(repository: Repository, action: Action): Promise<Change> {
  if ("body" in action && action.body === "") throw unprocessable("A comment must not be empty");
  const message = messageFor(action);
  if (!("embeds" in action)) return { actions: [action], files: [], message };
  const { embeds, files } = await resolveEmbeds(repository, action.embeds);
  return { actions: [{ ...action, embeds: [...embeds] }], files, message };
}

/** The error for a well-formed body that cannot be applied. */
export function unprocessable(message: string): ApiError {
  return new ApiError("unprocessable", message);
}
