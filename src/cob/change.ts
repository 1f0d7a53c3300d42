/** Changes that clients ask for, before there is an entry of them. */
import { ApiError } from "../errors.ts";
import type { Repository } from "../ports/storage.ts";
import { type Action, isWritten, messageFor } from "./action_form.ts";
import { type EmbedFile, resolveEmbeds } from "./embed_files.ts";

/** What one entry is to do. */
export interface Change {
  readonly actions: readonly Action[];
  /** Content that the actions refer to. */
  readonly files: readonly EmbedFile[];
  /** Message of the entry's commit. */
  readonly message: string;
}

/**
 * The change that is one action; its embeds are resolved.
 *
 * @throws {ApiError} `unprocessable` as `resolveEmbeds` does.
 */
export async function toChange(repository: Repository, action: Action): Promise<Change> {
  const message = messageFor(action);
  if (!("embeds" in action)) return { actions: [action], files: [], message };
  const { embeds, files } = await resolveEmbeds(repository, action.embeds);
  return { actions: [{ ...action, embeds: [...embeds] }], files, message };
}

/**
 * Checks what needs no object to be known.
 *
 * @throws {ApiError} `unprocessable` for actions that are not written, and for a comment without text.
 */
export function checkAction(action: Action): void {
  if (!isWritten(action)) throw unprocessable(`Actions "${action.type}" are not served`);
  if ("body" in action && action.body === "") throw unprocessable("A comment must not be empty");
}

/** A well-formed body that says what cannot be. */
export function unprocessable(message: string): ApiError {
  return new ApiError("unprocessable", message);
}
