/** Homes that objects are put into and evaluated in: one for each generation, copied for every batch of objects. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { GitRepository } from "../../support/git.ts";
import { type Generation, openRadHome, type RadHome, removeFolder } from "../../support/programs.ts";
import { createWrittenProject } from "../written_project.ts";
import { buildObject, type BuiltObject, fillDocument, keys, putDocument } from "./build.ts";
import type { Surroundings } from "./raw.ts";
import { DOCUMENTS } from "./documents.ts";
import { identityDocuments } from "./identities.ts";
import { identitiesByRad, identitiesByUs } from "./identity_outcomes.ts";
import { firstDifference, statesByRad, statesByUs } from "./outcomes.ts";
import { savedDifferences } from "./saved.ts";
import { ObjectPack, type ObjectSink, putText } from "./pack.ts";
import type { ObjectPlan } from "./plans.ts";

/** An object that is seen differently. */
export interface Difference {
  readonly object: BuiltObject;
  /** Where, and what both say. */
  readonly text: string;
}

/** A home to copy, and what its repository has besides objects. */
export interface Desk {
  readonly generation: Generation;
  readonly home: string;
  readonly rid: RepoId;
  readonly folder: string;
  /** Of the home's key. */
  readonly seed: string;
  readonly commits: readonly [string, string];
  /** The identity document of the repository, as JSON. */
  readonly document: string;
}

/** Makes a home with a project in the new folder `folder`. */
export function createDesk(generation: Generation, folder: string): Desk {
  const { rad, rid, commits, git, seed } = createWrittenProject(generation, folder);
  // The first command that needs the objects database makes it.
  rad.rad(folder, "issue", "list", "--repo", rid);
  // A write-ahead log, which the database remembers: one wait for the disk for each row is less than three.
  const database = new DatabaseSync(join(rad.home, "cobs", "cache.db"));
  database.exec("pragma journal_mode = wal");
  database.close();
  const document = new TextDecoder().decode(git.run(["cat-file", "blob", "refs/rad/id:embeds/radicle.json"]));
  return { generation, home: rad.home, rid, folder, seed, commits, document };
}

/** A copy of a desk's home with objects in it. */
export interface FilledHome {
  readonly rad: RadHome;
  readonly git: GitRepository;
  readonly around: Surroundings;
  readonly objects: readonly BuiltObject[];
}

let copies = 0;

/** Copies the home and puts objects into the copy. */
export function fillHome(desk: Desk, plans: readonly ObjectPlan[]): FilledHome {
  const place = join(desk.folder, `copy-${copies++}`);
  mkdirSync(place);
  const home = join(place, "home");
  cpSync(desk.home, home, { recursive: true });
  const git = new GitRepository(join(home, "storage", desk.rid.slice("rad:".length)));
  const pack = new ObjectPack();
  const around = putSurroundings(pack, desk);
  const objects = new Map<Oid, BuiltObject>();
  for (const plan of plans) {
    const object = buildObject(pack, around, plan);
    objects.set(object.id, object);
  }
  pack.write(git);
  return { rad: openRadHome(desk.generation, home, "alice"), git, around, objects: [...objects.values()] };
}

/** Has objects evaluated by the real `rad` and by us; a batch that is not too large by way of saved evaluations, too. */
export async function findDifferences(desk: Desk, plans: readonly ObjectPlan[]): Promise<Difference[]> {
  const { generation, rid } = desk;
  const { rad, git, objects } = fillHome(desk, plans);
  const identities = objects.filter(({ plan }) => plan.kind === "id");
  const others = objects.filter(({ plan }) => plan.kind !== "id");
  const theirs = new Map([
    ...others.length > 0 ? statesByRad(rad, rid) : [],
    ...identitiesByRad(generation, rad, git, rid, identities),
  ]);
  const ours = new Map([
    ...await statesByUs(generation, rad.home, rid, others),
    ...await identitiesByUs(generation, rad.home, rid, identities),
  ]);
  const saved = await savedDifferences(generation, rad.home, rid, others);
  removeFolder(join(rad.home, ".."));
  return objects.flatMap((object) => {
    const text = firstDifference(ours.get(object.id), theirs.get(object.id)) ?? saved.get(object.id);
    return text === undefined ? [] : [{ object, text }];
  });
}

/** The commits, branches and identity documents that objects refer to. */
function putSurroundings(sink: ObjectSink, { commits: [first, second], document }: Desk): Surroundings {
  const blob = putText(sink, "A file\n");
  const tree = sink.put("tree", new Uint8Array());
  const person = "someone <someone@example.org> 1600000000 +0000";
  const commit = (title: string, ...parents: readonly string[]) => {
    const lines = parents.map((parent) => `parent ${parent}\n`).join("");
    const text = `tree ${tree}\n${lines}author ${person}\ncommitter ${person}\n\n${title}\n`;
    return sink.put("commit", new TextEncoder().encode(text));
  };
  const third = commit("Third", second);
  const other = commit("Other", first);
  const join = commit("Join", third, other);
  const apart = commit("Apart");
  const commits = [first, second, third, other, join, apart] as Oid[];
  const branch = (key: number, name: string, oid: Oid) =>
    sink.setRef(`refs/namespaces/${keys[key]!.nid}/refs/heads/${name}`, oid);
  branch(0, "dev", third);
  branch(1, "main", join);
  branch(1, "dev", third);
  branch(2, "main", third);
  branch(2, "dev", other);
  branch(2, "feature/x", third);
  branch(3, "dev", join);
  const documents = new Map(
    Object.entries(DOCUMENTS).map(([name, text]) => [name, putDocument(sink, fillDocument(text, { keys }))]),
  );
  const identities = identityDocuments(document).map((text) => fillDocument(text, { keys }));
  for (const text of identities) putText(sink, text);
  return { keys, commits, documents, identities, blob, tree };
}
