/** Changes of issues and patches that clients request, before the changes are stored as entries. */
import { InvalidError } from "../../errors.ts";
import type { Repository } from "../../ports/storage.ts";
import { Task } from "../../scheduling/task.ts";
import { type EmbedFile, resolveEmbeds } from "./embed_files.ts";
import type { Rules } from "../rules.ts";
import type { Oid } from "../../ids/oid.ts";
import { hasDefault, type Shape, variantsOf } from "../entry/stored_value.ts";
import { IssueAction, issueSteps } from "../issue/issue.ts";
import { patchSteps } from "../patch/patch.ts";
import { PatchAction } from "../patch/patch_action.ts";

export type Action = IssueAction | PatchAction;

const MESSAGES: Readonly<Record<Action["type"], { readonly message: string }>> = {
  ...issueSteps,
  ...patchSteps,
};

const MEMBERS = new Map(
  [IssueAction, PatchAction].flatMap((schema) => [...variantsOf(schema as unknown as Shape)]),
);

/** Returns the commit message of an entry whose only action is the given action. */
export function messageFor({ type }: Action): string {
  return MESSAGES[type].message;
}

/**
 * Returns the properties of an action as they are stored. An optional property is omitted if its value is the
 * default.
 */
export function toStoredAction(action: Action): Readonly<Record<string, unknown>> {
  const members = MEMBERS.get(action.type);
  return Object.fromEntries(
    Object.entries(action).filter(([name, value]) => {
      const shape = members?.get(name);
      return shape === undefined || !hasDefault(shape) || !isDefault(shape, value);
    }),
  );
}

/**
 * Returns the commits to which an action refers. They become parents of the entry's commit, so that other
 * nodes fetch them together with the entry.
 */
export function relatedCommits(action: Action): readonly Oid[] {
  if (action.type === "revision") return [action.base, action.oid];
  return action.type === "merge" ? [action.commit] : [];
}

/** Checks whether the value of an optional property is null, the default, or an empty array. */
function isDefault(shape: Shape, value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : (value ?? undefined) === (shape.default ?? undefined);
}

export interface Change {
  readonly actions: readonly Action[];
  /** Files to which the actions refer. */
  readonly files: readonly EmbedFile[];
  readonly message: string;
}

/**
 * Creates a change with one action, and resolves the embeds of the action.
 *
 * @throws {InvalidError} for a comment without text, and for embeds that {@link resolveEmbeds} refuses.
 */
export async function toChange(
  repository: Repository,
  action: Action,
  task: Task = new Task(),
): Promise<Change> {
  if ("body" in action && action.body === "") throw unprocessable("A comment must not be empty");
  const message = messageFor(action);
  if (!("embeds" in action)) return { actions: [action], files: [], message };
  const { embeds, files } = await resolveEmbeds(repository, action.embeds, task);
  return { actions: [{ ...action, embeds: [...embeds] }], files, message };
}

/** Creates the error for a well-formed request body that cannot be applied. */
export function unprocessable(message: string): InvalidError {
  return new InvalidError(message);
}

/**
 * Actions that a dialect of the API accepts. `all` includes the actions, targets of patches and reactions
 * that were added after February 2024. `early` excludes them.
 */
export type ServedActions = "early" | "all";

/**
 * Checks whether actions that were added after February 2024 may be written. The dialect must accept these
 * actions, and all rules in force must know them.
 */
export function mayBeLater(rules: readonly Rules[], served: ServedActions): boolean {
  return served === "all" && rules.every(({ knowsLaterActions }) => knowsLaterActions);
}
