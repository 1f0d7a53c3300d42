/**
 * A Radicle home on the disk with one repository per hostile class, beside the honest repositories of the
 * demo home.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeDemoHome } from "../../adapters/cli/demo/home.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { DiskRepository } from "./disk.ts";
import { largeArchives, refusedArchives } from "./archives.ts";
import { craftedSignatures, longLists, oddEntries } from "./entries.ts";
import { largeGraph, wrongGraph } from "./commit_graphs.ts";
import { largePack } from "./git_clients.ts";
import * as diffs from "./diffs.ts";
import * as histories from "./histories.ts";
import * as objects from "./objects.ts";
import * as references from "./references.ts";
import { endlessHistories, signedHistories } from "./signed_histories.ts";
import { hardTexts } from "./texts.ts";
import { documentOf, found, type HostileClass } from "./target.ts";

/** All hostile classes. */
export const CLASSES: readonly HostileClass[] = [
  histories.messages,
  objects.foldedTrailers,
  oddEntries,
  craftedSignatures,
  longLists,
  histories.hugeTrees,
  objects.hugeComments,
  histories.hugeCommits,
  objects.deltaChains,
  histories.missingParents,
  histories.manyBranches,
  histories.slowDiffs,
  diffs.largeFiles,
  diffs.manyFiles,
  diffs.movedFiles,
  histories.deepPaths,
  objects.longIdentity,
  histories.longHistory,
  histories.merges,
  largeGraph,
  wrongGraph,
  objects.manyEntries,
  objects.manyIssues,
  references.packedReferences,
  references.looseReferences,
  references.hugeSigrefs,
  references.manyNamespaces,
  signedHistories,
  endlessHistories,
  references.oddReferences,
  references.longFiles,
  largePack,
  refusedArchives,
  largeArchives,
  // The last one: a search indexes the texts of all repositories.
  hardTexts,
];

/** A hostile repository and the requested paths (see {@link HostileClass}). */
export interface HostileRepository {
  readonly name: string;
  readonly rid: RepoId;
  readonly paths: readonly string[];
  readonly isMadeAnew: boolean;
}

/** The home. */
export interface HostileHome {
  readonly home: string;
  readonly repositories: readonly HostileRepository[];
}

/** Creates a home in a new folder with the honest repositories only. */
export async function makeIdleHome(home: string): Promise<string> {
  mkdirSync(home);
  await makeDemoHome(home);
  return home;
}

/** Creates the home in a new folder; `wanted` selects classes by parts of their names, all by default. */
export async function makeHostileHome(home: string, wanted: readonly string[] = []): Promise<HostileHome> {
  mkdirSync(home);
  await makeDemoHome(home);
  const repositories: HostileRepository[] = [];
  for (const { name, fill, finish, isMadeAnew = false } of CLASSES) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    const { rid } = documentOf(name);
    const repository = new DiskRepository(join(home, "storage"), rid);
    const paths = await fill(repository, found(repository, name));
    repository.finish();
    finish?.(repository.path);
    repositories.push({ name, rid, paths, isMadeAnew });
  }
  return { home, repositories };
}
