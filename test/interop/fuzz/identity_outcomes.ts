/** What the real programs make of identities, and what we make of them. */
import { dirname, join } from "node:path";
import { fileSystem } from "../../../adapters/node/file_system.ts";
import { IdentitySearch } from "../../../src/cob/identity/identity_search.ts";
import { Refusal } from "../../../src/cob/op.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { isUnreadable } from "../../../src/errors.ts";
import { didOfNid } from "../../../src/ids/nid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import type { GitRepository } from "../../support/git.ts";
import type { Generation, RadHome } from "../../support/programs.ts";
import type { BuiltObject } from "./build.ts";
import type { States } from "./outcomes.ts";
import { Task } from "../../../src/scheduling/task.ts";

/** Digits of an id in the lists of `rad` 0.10. */
const SHORT = 7;

/** An identity as the newest `rad` prints it, so far as it is compared. */
interface Shown {
  readonly root: Oid;
  readonly current: Oid;
  readonly timeline: readonly Oid[];
  readonly revisions: Readonly<
    Record<Oid, {
      readonly blob: Oid;
      readonly title: string;
      readonly description: string;
      readonly state: unknown;
      readonly author: { readonly id: string };
      readonly parent: Oid | null;
      readonly timestamp: number;
      readonly verdicts: Readonly<Record<string, unknown>>;
      readonly children: readonly Oid[];
    }>
  >;
}

/** Identities by the real `rad`: all of each by the newest; of 0.10 what it lists, the states of proposals. */
export function identitiesByRad(
  generation: Generation,
  rad: RadHome,
  git: GitRepository,
  rid: RepoId,
  objects: readonly BuiltObject[],
): States {
  const states = new Map<Oid, unknown>();
  for (const { id } of objects) {
    const state = generation === "newest" ? show(rad, rid, id) : list(rad, git, rid, id);
    if (state !== undefined) states.set(id, state);
  }
  return states;
}

function show(rad: RadHome, rid: RepoId, id: Oid): unknown {
  const object = ["--repo", rid, "--type", "xyz.radicle.id", "--object", id];
  const text = attempt(() => rad.rad(dirname(rad.home), "cob", "show", ...object), /failed|not found/);
  if (text === undefined) return undefined;
  const { root, current, timeline, revisions }: Shown = JSON.parse(text);
  return {
    root,
    current,
    timeline,
    revisions: Object.fromEntries(
      Object.entries(revisions).map((
        [id, { blob, title, description, state, author, parent, ...rest }],
      ) => [id, {
        blob,
        title,
        description,
        state,
        author: author.id,
        parent,
        timestamp: rest.timestamp,
        verdicts: Object.fromEntries(
          Object.entries(rest.verdicts).map((
            [key, verdict],
          ) => [key, verdict === "Reject" ? "reject" : "accept"]),
        ),
        children: rest.children,
      }]),
    ),
  };
}

/** `rad` 0.10 lists the identity that the repository names: no other reads the identity of a repository anew. */
function list(rad: RadHome, git: GitRepository, rid: RepoId, id: Oid): unknown {
  git.setRef("refs/rad/id", id);
  const text = attempt(() => rad.rad(dirname(rad.home), "id", "list", "--repo", rid), /failed|not found/);
  if (text === undefined) return undefined;
  const rows = [...text.matchAll(/● +([0-9a-f]{7}) .* (active|accepted|rejected|stale) /g)];
  return rows.map(([, id, state]) => `${id} ${state}`);
}

function attempt<T>(step: () => T, expected: RegExp): T | undefined {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error && expected.test(error.message)) return undefined;
    throw error;
  }
}

/** Identities by us, in the same form. */
export async function identitiesByUs(
  generation: Generation,
  home: string,
  rid: RepoId,
  objects: readonly BuiltObject[],
): Promise<States> {
  const states = new Map<Oid, unknown>();
  const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
  const search = new IdentitySearch(RULES[generation]);
  try {
    const repository = storage.repository(rid)!;
    for (const { id } of objects) {
      try {
        const identity = await search.evaluate(repository, id, new Task());
        states.set(id, generation === "newest" ? toShown(identity) : toListed(identity));
      } catch (error) {
        if (!(isUnreadable(error) || error instanceof Refusal)) {
          states.set(id, { fault: String(error) });
        }
      }
    }
  } finally {
    storage.close();
  }
  return states;
}

type AnyIdentity = Awaited<ReturnType<IdentitySearch["evaluate"]>>;

function toShown({ root, current, timeline, proposals }: AnyIdentity): unknown {
  return {
    root,
    current,
    timeline,
    revisions: Object.fromEntries(
      [...proposals].flatMap(([id, proposal]) => {
        if (proposal === null || !("children" in proposal)) return [];
        const { blob, title, description, state, author, parent, timeSeconds, verdicts, children } = proposal;
        return [[id, {
          blob,
          title,
          description,
          state,
          author: didOfNid(author),
          parent,
          timestamp: timeSeconds * 1000,
          verdicts: Object.fromEntries(verdicts),
          children,
        }]];
      }),
    ),
  };
}

function toListed({ timeline, proposals }: AnyIdentity): unknown {
  return timeline.toReversed().flatMap((id) => {
    const proposal = proposals.get(id);
    return proposal ? [`${id.slice(0, SHORT)} ${String(proposal.state)}`] : [];
  });
}
