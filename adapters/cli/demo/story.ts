/**
 * Plays the demo's story: repositories are made, branches pushed, and issues and patches changed by requests
 * to the API. Files in `story/` tell it, one step a line; what a step made has a name, which later steps
 * write with a dollar sign.
 */
import type { Oid } from "../../../src/ids/oid.ts";
import type { WritableRepository } from "../../../src/ports/storage.ts";
import type { HomeStorage } from "../../../src/storage/home/storage.ts";
import { HISTORIES, STEPS } from "./carried/story.ts";
import type { Clock, Member } from "./member.ts";
import { initRepository, moveRef, type ProjectDraft } from "./repository.ts";

/** A step at its time; those after the making of a repository are about it. */
type Step = { readonly at: string; readonly by: string; readonly as?: string } & {
  /** Begins a part, of which those who wait are told. */
  readonly report?: string;
  /** Makes a repository of the owner. */
  readonly init?: Omit<ProjectDraft, "defaultBranch">;
  /** References of a member and where they point to. */
  readonly push?: Readonly<Record<string, Oid>>;
  /** Paths below the repository, and the body of the request. */
  readonly post?: string;
  readonly patch?: string;
  readonly body?: object;
};

/** Name of the default branch of all repositories. */
const BRANCH = "main";

/** Where the story takes place. */
export interface Stage {
  /** Path of the `storage` folder. */
  readonly root: string;
  readonly storage: HomeStorage;
  readonly clock: Clock;
  /** The first one is the owner of the home, sole delegate of all repositories. */
  readonly members: readonly Member[];
}

/**
 * Plays the story.
 *
 * @param report Hears of the parts that begin.
 * @returns The repositories by name, in the order of their making.
 */
export async function playStory(
  stage: Stage,
  report: (part: string) => void,
): Promise<ReadonlyMap<string, WritableRepository>> {
  const { clock, members } = stage;
  const [owner] = members as readonly [Member];
  const names = new Map<string, string>(members.map(({ alias, nid }) => [alias, nid]));
  const repositories = new Map<string, WritableRepository>();
  let repository: WritableRepository | undefined;
  for (const line of STEPS.split("\n")) {
    const step: Step = JSON.parse(line.replace(/\$([\w.-]+)/g, (_, name) => names.get(name)!));
    const { at, by, as, init, push, post, patch } = step;
    if (step.report !== undefined) {
      report(step.report);
      continue;
    }
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
      // What the sole delegate pushes is the repository's, too.
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
