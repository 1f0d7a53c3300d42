/** Repositories as today's clients see them, with all that is shown beside the identity document. */
import { type Call, type OpenRepository, requireDoc } from "./call.ts";
import { unlessUnreadable } from "./listing.ts";
import { readCanonicalNames } from "../identity/canonical_names.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import { readHead } from "../identity/head.ts";
import { nidOfDid } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { AliasOf } from "../views/author.ts";
import { countIssues } from "../views/issue.ts";
import { countPatches } from "../views/patch.ts";
import { type ProjectMeta, type RepoFacts, repoText } from "../views/today/repo.ts";

/** Items of a page of repositories at most: more are not an error. */
export const MAX_PER_PAGE = 100;

/** The JSON of repositories; those that cannot be read are left out. */
export async function repoTexts(
  call: Call,
  repositories: readonly OpenRepository[],
): Promise<readonly string[]> {
  const seeds = await call.service.node.seedCounts(repositories.map(({ rid }) => rid));
  const facts: RepoFacts[] = [];
  for (const repository of repositories) {
    const found = await unlessUnreadable(() => readFacts(call, repository, seeds));
    if (found !== undefined) facts.push(found);
  }
  const aliasOf = await delegateAliases(call, facts.map(({ doc }) => doc));
  return facts.map((one) => repoText(one, aliasOf));
}

/**
 * The JSON of one repository.
 *
 * @throws {ApiError} `notFound` when its identity cannot be read.
 */
export async function repoTextOf(call: Call, repository: OpenRepository): Promise<string> {
  const facts = await readFacts(call, repository, await call.service.node.seedCounts([repository.rid]));
  return repoText(facts, await delegateAliases(call, [facts.doc]));
}

/** The aliases of all delegates, looked up at once. */
export async function delegateAliases(call: Call, docs: readonly IdentityDoc[]): Promise<AliasOf> {
  const delegates = new Set(docs.flatMap((doc) => doc.delegates.map(nidOfDid)));
  const aliases = await call.service.node.aliases([...delegates]);
  return (node) => aliases.get(node);
}

async function readFacts(
  call: Call,
  repository: OpenRepository,
  seeds: ReadonlyMap<RepoId, number>,
): Promise<RepoFacts> {
  const { rid, objects } = repository;
  const doc = requireDoc(repository);
  return {
    rid,
    doc,
    meta: await readMeta(call, repository, doc),
    seeding: seeds.get(rid) ?? 0,
    names: await readCanonicalNames(objects, doc, call.task),
    alias: call.service.aliases.nameOf(rid),
  };
}

async function readMeta(
  { service: { cobs } }: Call,
  repository: OpenRepository,
  doc: IdentityDoc,
): Promise<ProjectMeta | undefined> {
  const head = doc.project === undefined ? undefined : await readHead(repository, doc);
  return head && {
    head,
    issues: countIssues((await cobs.issues.listed(repository)).summaries),
    patches: countPatches((await cobs.patches.listed(repository)).summaries),
  };
}
