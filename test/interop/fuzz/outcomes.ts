/** What the real programs make of objects, what we make of them, and where the two differ. */
import { isDeepStrictEqual } from "node:util";
import { dirname } from "node:path";
import { fileSystem } from "../../../adapters/node/file_system.ts";
import { CacheRows } from "../../../src/cob/rad_cache/cache_rows.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { createCobs } from "../../../src/cob/evaluation/store.ts";
import { CommitGraph } from "../../../src/git/commit_graph.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { CobCache, RowForm } from "../../../src/ports/cob_cache.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import type { Generation, RadHome } from "../../support/programs.ts";
import { join } from "node:path";
import { readRows, withoutIds } from "../cache_rows.ts";
import type { BuiltObject } from "./build.ts";
import { Task } from "../../../src/scheduling/task.ts";

/** States by the ids of objects, as rows of the objects database have them; absent when there is no such object. */
export type States = ReadonlyMap<Oid, unknown>;

/** What the real `rad` makes of all objects of a repository. */
export function statesByRad(rad: RadHome, rid: RepoId): States {
  for (const kind of ["issue", "patch"]) rad.rad(dirname(rad.home), kind, "cache", "--repo", rid);
  return new Map(readRows(rad.home).map(({ id, text }) => [id, comparable(text)]));
}

/** What we make of objects by the rules of a generation. A fault of ours is a state that equals none of `rad`. */
export async function statesByUs(
  generation: Generation,
  home: string,
  rid: RepoId,
  objects: readonly BuiltObject[],
): Promise<States> {
  const states = new Map<Oid, unknown>();
  const form: RowForm = generation;
  const cache: CobCache = {
    read: () => ({ form, text: undefined }),
    replace: ({ id }, _before, text) => {
      states.set(id, comparable(text));
      return true;
    },
    findBehind: () => [],
  };
  const faults: string[] = [];
  const log = (level: string, message: string, error?: unknown) => {
    if (level === "error" || message.includes("it could not be made")) faults.push(`${message} ${error}`);
  };
  const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
  try {
    const repository = storage.repository(rid)!;
    const graph = new CommitGraph();
    const rows = new CacheRows({
      cache,
      cobs: createCobs(RULES.newest, log),
      log,
      graphs: { open: (objects, task) => ({ objects, graph, task }) },
    });
    for (const { plan, id } of objects) {
      if (plan.kind === "id") continue;
      await rows.update(repository, `xyz.radicle.${plan.kind}`, id);
      const fault = faults.pop();
      if (fault !== undefined) states.set(id, { fault });
    }
  } finally {
    storage.close();
  }
  return states;
}

/** What a new entry would be written on top of by the rules of a generation, ascending; by the ids of objects. */
export async function tipsByUs(
  generation: Generation,
  home: string,
  rid: RepoId,
  objects: readonly BuiltObject[],
): Promise<ReadonlyMap<Oid, readonly Oid[]>> {
  const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
  const { issues, patches } = createCobs(RULES[generation], () => {});
  const graph = new CommitGraph();
  try {
    const repository = storage.repository(rid)!;
    const tips = new Map<Oid, readonly Oid[]>();
    for (const { plan, id } of objects) {
      const evaluation = await (plan.kind === "issue" ? issues : patches).get({
        objects: repository,
        graph,
        task: new Task(),
      }, id);
      if (evaluation !== undefined) tips.set(id, evaluation.tips);
    }
    return tips;
  } finally {
    storage.close();
  }
}

/** The first place where two states differ, in words; `undefined` when they are equal. */
export function firstDifference(ours: unknown, theirs: unknown, at = "$"): string | undefined {
  if (isDeepStrictEqual(ours, theirs)) return undefined;
  if (isObject(ours) && isObject(theirs) && Array.isArray(ours) === Array.isArray(theirs)) {
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      const found = firstDifference(ours[name], theirs[name], `${at}.${name}`);
      if (found !== undefined) return found;
    }
  }
  const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 300) ?? "nothing";
  return `${at}: ours ${shown(ours)}, rad ${shown(theirs)}`;
}

/** A row for comparing: conflicts have no order in the programs, and numbers beyond those that JavaScript counts to are near enough. */
export function comparable(text: string): unknown {
  const readable = text.replace(
    /(?<=:)\d{16,}(?=[,}])/g,
    (digits) => String(Math.min(Number(digits), Number.MAX_SAFE_INTEGER)),
  );
  const row = withoutIds(readable) as { state?: { conflicts?: [string, string][] } };
  row.state?.conflicts?.sort((a, b) => a.join() < b.join() ? -1 : 1);
  return row;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
