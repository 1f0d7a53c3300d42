/**
 * Makes the repositories of the demo from `story/story.jsonl`. Each line is a step that makes a repository,
 * pushes branches, or sends a request to the API. A step can give its result a name with `as`. Later steps
 * refer to this result by a dollar sign and the name.
 */
import type { Oid } from "../../../src/ids/oid.ts";
import type { WritableRepository } from "../../../src/ports/storage.ts";
import type { HomeStorage } from "../../../src/storage/home/storage.ts";
import { HISTORIES, STEPS } from "./carried/story.ts";
import type { Clock, Member } from "./member.ts";
import { initRepository, moveRef, type ProjectDraft } from "./repository.ts";

/**
 * A step of the story. An `init` step makes a repository. The following steps, up to the next `init` step,
 * change this repository.
 */
type Step = { readonly at: string; readonly by: string; readonly as?: string } & {
  /** Makes a repository whose only delegate is the owner of the home. */
  readonly init?: Omit<ProjectDraft, "defaultBranch">;
  /** Names of the references that the member pushes, and their new targets. */
  readonly push?: Readonly<Record<string, Oid>>;
  /** Path of a `POST` request, relative to the path of the repository. */
  readonly post?: string;
  readonly patch?: string;
  readonly body?: object;
};

/** Default branch of all repositories. */
const BRANCH = "main";

export interface Stage {
  /** Path of the `storage` folder. */
  readonly root: string;
  readonly storage: HomeStorage;
  readonly clock: Clock;
  /** The first member is the owner of the home and the only delegate of all repositories. */
  readonly members: readonly Member[];
}

/**
 * Runs all steps of the story.
 *
 * @returns the repositories by name, in the order of the story.
 */
export async function playStory(stage: Stage): Promise<ReadonlyMap<string, WritableRepository>> {
  const { clock, members } = stage;
  const [owner] = members as readonly [Member];
  const names = new Map<string, string>(members.map(({ alias, nid }) => [alias, nid]));
  const repositories = new Map<string, WritableRepository>();
  let repository: WritableRepository | undefined;
  for (const line of STEPS.split("\n")) {
    const step: Step = JSON.parse(line.replace(/\$([\w.-]+)/g, (_, name) => names.get(name)!));
    const { at, by, as, init, push, post, patch } = step;
    clock.nowSeconds = Date.parse(at) / 1000;
    if (init !== undefined) {
      const history = HISTORIES[init.name]!;
      const draft = { ...init, defaultBranch: BRANCH };
      repository = await initRepository(stage, draft, owner, history, clock.nowSeconds);
      repositories.set(init.name, repository);
      for (const [name, oid] of Object.entries(history.oids)) names.set(name, oid);
      continue;
    }
    const member = members.find(({ alias }) => alias === by)!;
    if (push !== undefined) {
      const head = push[`refs/heads/${BRANCH}`];
      // When the only delegate pushes a branch, the repository's own branch outside of the namespaces moves
      // as well.
      if (member === owner && head !== undefined) await moveRef(repository!, `refs/heads/${BRANCH}`, head);
      await member.publish(repository!, push);
    } else {
      const path = `${repository!.rid}/${post ?? patch}`;
      const id = await member.send(post === undefined ? "PATCH" : "POST", path, step.body!);
      if (as !== undefined) names.set(as, id);
    }
  }
  return repositories;
}
