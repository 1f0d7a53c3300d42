/** Histories of signed references in a home of the real programs, and what these programs and we show of them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { isUnreadable } from "../../src/errors.ts";
import { hashObject } from "../../src/git/encode.ts";
import { createSigrefsCache, SigrefsReader, sigrefsRef } from "../../src/identity/sigrefs.ts";
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { type GitObject, isWritable, type WritableRepository } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { createWriter } from "../cob/entries.ts";
import {
  BRANCH,
  CraftedHistory,
  type HistoryPlan,
  type Place,
  type Shown,
  type State,
} from "../identity/crafted_sigrefs.ts";
import { type Generation, startHttpd } from "../support/programs.ts";
import { fetchByNode } from "./fetched_home.ts";
import type { SignedHome } from "./signed_home.ts";
import { Task } from "../../src/scheduling/task.ts";

/** A history in a home. */
export interface PutHistory {
  readonly name: string;
  readonly nid: NodeId;
}

export function openRepository(home: string, rid: RepoId): WritableRepository {
  const repository = createHomeStorage({ root: join(home, "storage"), fileSystem }).repository(rid);
  assert.ok(repository !== undefined && isWritable(repository));
  return repository;
}

async function placeOf({ rad, rid, commits: [x, y, z] }: SignedHome): Promise<Place> {
  const root = (await openRepository(rad.home, rid).ref("refs/rad/id"))!.oid!;
  return { root, states: { x, y, z } };
}

/** Puts histories into the home's repository, each in the namespace of its own node. */
export async function putHistories(
  made: SignedHome,
  histories: readonly HistoryPlan[],
): Promise<PutHistory[]> {
  const repository = openRepository(made.rad.home, made.rid);
  const place = await placeOf(made);
  const objects: GitObject[] = [];
  const put = (kind: GitObject["kind"], bytes: Uint8Array) => {
    objects.push({ kind, bytes });
    return hashObject(kind, bytes);
  };
  const tips: { readonly name: string; readonly nid: NodeId; readonly tip: Oid }[] = [];
  for (const [i, { name, make }] of histories.entries()) {
    const seed = new Uint8Array(32).fill(1);
    new DataView(seed.buffer).setUint32(0, i);
    const writer = createWriter(seed);
    const history = new CraftedHistory(put, writer, place);
    make(history);
    tips.push({ name, nid: writer.nid, tip: history.tip });
  }
  await repository.writeObjects(objects);
  for (const { nid, tip } of tips) {
    assert.equal(await repository.updateRef(sigrefsRef(nid), { from: undefined, to: tip }), true);
  }
  return tips;
}

/** What we show of each history, by the rules of a generation. */
export async function shownByUs(
  made: SignedHome,
  generation: Generation,
  histories: readonly PutHistory[],
): Promise<Shown[]> {
  const repository = openRepository(made.rad.home, made.rid);
  const place = await placeOf(made);
  const cache = createSigrefsCache(undefined, { generation: () => generation });
  const shown: Shown[] = [];
  for (const { nid } of histories) {
    try {
      shown.push(
        stateOf(place, (await new SigrefsReader(repository, cache, new Task()).read(nid))!.get(BRANCH)),
      );
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      shown.push("refused");
    }
  }
  return shown;
}

/** What `radicle-httpd` 0.10.0 shows of each history. */
export async function shownByHttpd(made: SignedHome, histories: readonly PutHistory[]): Promise<Shown[]> {
  const place = await placeOf(made);
  const service = await startHttpd(made.rad.home);
  try {
    const response = await fetch(`${service.url}/api/v1/projects/${made.rid}/remotes`);
    const remotes = await response.json() as { id: string; heads: Record<string, Oid> }[];
    const heads = new Map(remotes.map(({ id, heads }) => [id, heads]));
    return histories.map(({ nid }) => {
      const found = heads.get(nid);
      return found === undefined ? "refused" : stateOf(place, found[BRANCH.slice("refs/heads/".length)]);
    });
  } finally {
    await service.stop();
  }
}

/** The histories that today's `rad` accepts. */
export function acceptedByRad(made: SignedHome, histories: readonly PutHistory[]): boolean[] {
  const lines = made.rad.rad(made.work, "inspect", "--sigrefs", made.rid).trim().split("\n");
  const accepted = new Set(
    lines.filter((line) => /^\S+\s+[0-9a-f]{40} (none|root|parent)$/.test(line.trim())).map((line) =>
      line.split(" ")[0]
    ),
  );
  return histories.map(({ nid }) => accepted.has(nid));
}

/** What a node of today has of each history when it has fetched them all from a node on the home. */
export async function shownByFetch(
  made: SignedHome,
  folder: string,
  histories: readonly PutHistory[],
): Promise<Shown[]> {
  const place = await placeOf(made);
  const { rad: { home }, nid, rid } = made;
  const fetched = openRepository(await fetchByNode({ generation: "newest", home, nid, rid }, folder), rid);
  return await Promise.all(histories.map(async ({ nid }) => {
    if (await fetched.ref(sigrefsRef(nid)) === undefined) return "refused";
    return stateOf(place, (await fetched.ref(`refs/namespaces/${nid}/${BRANCH}`))?.oid);
  }));
}

function stateOf({ states }: Place, at: Oid | undefined): Shown {
  if (at === undefined) return "empty";
  return (Object.keys(states) as State[]).find((state) => states[state] === at)!;
}

/** Fails with the names of the histories of which two show different things. */
export function assertSame<T>(
  histories: readonly PutHistory[],
  ours: readonly T[],
  theirs: readonly T[],
): void {
  assert.equal(ours.length, histories.length);
  const differences = histories.map(({ name }, i) => ({ name, ours: ours[i], theirs: theirs[i] }))
    .filter(({ ours, theirs }) => ours !== theirs);
  assert.deepEqual(differences, []);
}
