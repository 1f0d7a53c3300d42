/**
 * Three peers change the same issues and patches, each through a service on its own home and with `rad`, and
 * fetch from each other now and then. In the end everybody has fetched everything, and all services and all
 * `rad` show the same.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Oid, parseOid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { ServedActions } from "../../src/cob/write/change.ts";
import { createHomeApi } from "../../adapters/node/mod.ts";
import { didOfNid, type NodeId } from "../../src/ids/nid.ts";
import { createRandom, type Random } from "../cob/random.ts";
import { NOWHERE, randomIssueAction, randomPatchBody } from "../cob/random_changes.ts";
import { signerOf } from "../support/keys.ts";
import { type Generation, openRadHome, RUNTIMES, type Service } from "../support/programs.ts";
import { readRows, type Row, withoutIds, writeRows } from "./cache_rows.ts";
import { fetchByNode } from "./fetched_home.ts";
import { craftComment, type CraftedTips } from "./crafty_peer.ts";
import { openRepository } from "./judged_sigrefs.ts";
import type { ServedHomes } from "./served_homes.ts";
import {
  assertIntact,
  assertSigned,
  type Client,
  createContributorsProject,
  createWrittenProject,
  newIssue,
  RefusedError,
  signIn,
  type WrittenProject,
} from "./written_project.ts";

/** Changes of a sequence. */
const CHANGES = 40;
/** After one change in this many, on average, a peer fetches. */
const CHANGES_TOGETHER = 5;
/** For so many changes, on average, somebody adds a comment that is signed as no program signs. */
const CHANGES_A_CRAFTED = 5;
/** How often a change is drawn until one is not refused. */
const MAX_TRIES = 20;
/** Issues of a sequence, and as many patches. */
const OBJECTS = 2;
/** One change in this many is made by `rad`. */
const RAD_EVERY = 4;
/** Seconds between the clocks of two peers, and the latest time that they begin with. */
const CLOCK_DIFFERENCE_S = 2;
const START_S = 1_800_000_000;

/** The generations of the three homes: all of one, or mixed. */
const HOMES: readonly (readonly Generation[])[] = [
  ["newest", "newest", "newest"],
  ["0.10", "0.10", "0.10"],
  ["newest", "0.10", "newest"],
  ["0.10", "newest", "0.10"],
];
const OTHERS = [{ alias: "bob", seed: "e7".repeat(32) }, { alias: "carol", seed: "f7".repeat(32) }];

/** One of the three. */
interface Peer {
  readonly generation: Generation;
  readonly nodeId: NodeId;
  readonly alias: string;
  readonly isDelegate: boolean;
  readonly project: WrittenProject;
  readonly service: Service;
  /** Of both dialects. */
  readonly clients: readonly Client[];
}

/** An object, and the ids of its entries that answers have told. */
interface Thing {
  readonly kind: "issue" | "patch";
  readonly id: string;
  readonly ids: Oid[];
}

/** What a sequence came to: changes that were made over HTTP and by `rad`, and those that were refused. */
export interface Tally {
  overHttp: number;
  byRad: number;
  refused: number;
  refusedByRad: number;
  /** Comments with signatures that no program makes. */
  crafted: number;
}

function pathOf({ kind, id }: Thing): string {
  return `/${kind === "issue" ? "issues" : "patches"}/${id}`;
}

/** Runs `rad` on a peer's copy. */
function runRad({ generation, alias, project }: Peer, timeSeconds: number, ...args: string[]): string {
  const env = { RAD_LOCAL_TIME: `${timeSeconds}`, GIT_COMMITTER_DATE: `${timeSeconds}` };
  const rad = openRadHome(generation, project.rad.home, alias, env);
  return rad.rad(dirname(rad.home), ...args, "--repo", project.rid);
}

/** The references of a peer's own namespace. */
function ownRefs({ nodeId, project: { git } }: Peer): unknown {
  return git.refs().filter(({ name }) => name.startsWith(`refs/namespaces/${nodeId}/`));
}

/**
 * Asks for a random change over HTTP; answers whether it was made. One that is refused leaves nothing behind,
 * and is no obstacle to others.
 */
async function changeByHttp(
  peer: Peer,
  thing: Thing,
  random: Random,
  served: ServedActions,
): Promise<boolean> {
  const client = random.pick(peer.clients);
  const ids = [...thing.ids, NOWHERE];
  const body = thing.kind === "issue"
    ? randomIssueAction(random, ids, peer.nodeId, served)
    : randomPatchBody(random, ids, peer.project.commits.map(parseOid), peer.nodeId, served);
  const before = ownRefs(peer);
  try {
    thing.ids.push(parseOid(await client.send("PATCH", pathOf(thing), body)));
    return true;
  } catch (error) {
    assert.ok(error instanceof RefusedError, String(error));
    const told = `${error.message} for ${JSON.stringify(body)} by ${peer.alias} on ${thing.id}`;
    assert.ok([403, 404, 409, 422].includes(error.status), told);
    assert.deepEqual(ownRefs(peer), before, told);
    if (error.status === 409) await comment(peer, thing, told);
    return false;
  }
}

/** A comment on an object, which nobody may refuse. */
async function comment({ clients: [client] }: Peer, thing: Thing, text: string): Promise<void> {
  const body = thing.kind === "issue"
    ? { type: "comment", body: text, replyTo: thing.id }
    : { type: "revision.comment", revision: thing.id, body: text };
  thing.ids.push(parseOid(await client!.send("PATCH", pathOf(thing), body)));
}

/**
 * Has `rad` make a random change; answers whether it did. A contributor does only what everybody may: `rad` also
 * writes changes that have no effect yet, and get one beside entries that it does not know.
 */
function changeByRad(peer: Peer, { kind, id }: Thing, random: Random, timeSeconds: number): boolean {
  const text = `text ${random.below(9)}`;
  const emoji = ["--emoji", random.pick(["✨", "🌱"])];
  const add = random.pick(["--add", "--delete"]);
  const isNewest = peer.generation === "newest";
  const common = kind === "issue"
    ? [["comment", id, "--message", text], ["react", id, ...emoji, "--to", id]]
    : [
      ["comment", id, "--message", text],
      ["review", id, random.pick(["--accept", "--reject"]), "--message", text],
      ...(isNewest ? [["react", id, ...emoji]] : []),
    ];
  const delegates = [
    ["label", id, add, random.pick(["a", "c"])],
    ["assign", id, add, didOfNid(peer.nodeId)],
    ...(kind === "issue"
      ? [
        ["state", id, random.pick(["--open", "--closed", "--solved"])],
        ...(isNewest ? [["edit", id, "--title", text, "--description", text]] : []),
      ]
      : [["archive", id], ["archive", id, "--undo"], ["ready", id], ["ready", id, "--undo"]]),
  ];
  try {
    runRad(
      peer,
      timeSeconds,
      kind,
      ...random.pick(peer.isDelegate ? [...common, ...delegates] : common),
      "--no-announce",
    );
    return true;
  } catch (error) {
    assert.doesNotMatch(String(error), /panic/);
    return false;
  }
}

/** Has a peer fetch what others have signed; as after a fetch of its node, the rows of `rad`'s cache follow. */
function fetchFrom(to: Peer, ...others: readonly Peer[]): void {
  for (const { nodeId, project: { git } } of others) {
    const namespace = `refs/namespaces/${nodeId}/*`;
    to.project.git.run(["fetch", "--quiet", git.path, `+${namespace}:${namespace}`]);
  }
  rebuild(to);
}

/** Rows by object. */
function statesOf(rows: readonly Row[]): ReadonlyMap<Oid, unknown> {
  return new Map(rows.map(({ id, text }) => [id, withoutIds(text)]));
}

/** Has `rad` make the rows of its cache again; answers what they say. */
function rebuild(peer: Peer): Row[] {
  for (const kind of ["issue", "patch"]) runRad(peer, START_S, kind, "cache");
  return readRows(peer.project.rad.home);
}

/** Checks that a peer's rows, which have followed each change, are those that its `rad` makes. */
function assertRows(peer: Peer): void {
  const stored = statesOf(readRows(peer.project.rad.home));
  assert.deepEqual(stored, statesOf(rebuild(peer)), `rows of ${peer.alias} (${peer.generation})`);
}

/** Makes the homes of all, and starts their services. */
async function openPeers(seed: number, { folder, serve }: ServedHomes): Promise<Peer[]> {
  const generations = HOMES[seed % HOMES.length]!;
  const place = join(folder, `${seed}`);
  const founded = createWrittenProject(generations[0]!, join(place, "alice"));
  const [bob] = OTHERS;
  const hasTwoDelegates = seed % 3 === 0;
  if (hasTwoDelegates) {
    const { nodeId } = await signerOf(bob!.seed);
    const options = [
      "--title",
      "Bob",
      "--description",
      "",
      "--delegate",
      didOfNid(nodeId),
      "--threshold",
      "1",
    ];
    founded.rad.rad(place, "id", "update", ...options, "--repo", founded.rid, "--no-confirm");
  }
  const projects = [
    { alias: "alice", project: founded },
    ...OTHERS.map(({ alias, seed }, i) => ({
      alias,
      project: createContributorsProject(generations[i + 1]!, join(place, alias), founded, { alias, seed }),
    })),
  ];
  return await Promise.all(projects.map(async ({ alias, project }, i): Promise<Peer> => {
    const args = ["--object-time", `${START_S + i * CLOCK_DIFFERENCE_S}`];
    const runtime = RUNTIMES[(seed + i) % RUNTIMES.length]!;
    const { service, client } = await serve(project, { runtime, args });
    return {
      generation: generations[i]!,
      nodeId: (await signerOf(project.seed)).nodeId,
      alias,
      isDelegate: i === 0 || i === 1 && hasTwoDelegates,
      project,
      service,
      clients: [client, await signIn(service.url, project, "repos")],
    };
  }));
}

/** Has random peers open the objects. */
async function openThings(peers: readonly Peer[], random: Random): Promise<Thing[]> {
  const things: Thing[] = [];
  for (let n = 0; n < OBJECTS; n++) {
    const { clients: [client], project: { commits: [target, oid] } } = random.pick(peers);
    const issue = await client!.send("POST", "/issues", newIssue(`${n}`));
    things.push({ kind: "issue", id: issue, ids: [parseOid(issue)] });
    const body = { title: `${n}`, description: "d", target, oid, labels: [] };
    const patch = await client!.send("POST", "/patches", body);
    things.push({ kind: "patch", id: patch, ids: [parseOid(patch)] });
  }
  return things;
}

/** Checks that a node of today fetches everything that a peer has from all, as it is signed. */
async function assertFetched({ generation, nodeId, project }: Peer, peers: readonly Peer[]): Promise<void> {
  const { rid, rad: { home } } = project;
  const folder = join(home, "..", "fetcher");
  mkdirSync(folder);
  const fetched = openRepository(await fetchByNode({ generation, home, nid: nodeId, rid }, folder), rid);
  for (const { alias, nodeId, project: { git } } of peers) {
    const namespace = `refs/namespaces/${nodeId}/refs/`;
    for (const { name, oid } of git.refs()) {
      // References to the identity are not fetched.
      const isFetched = ["heads/", "cobs/", "rad/sigrefs"].some((start) =>
        name.startsWith(namespace + start)
      );
      if (!isFetched) continue;
      assert.equal((await fetched.ref(name))?.oid, oid, `${name} of ${alias}`);
    }
  }
}

/**
 * Makes one random sequence, and checks what comes of it.
 *
 * @param isFetched Whether a node of today fetches it in the end.
 */
export async function testPeers(seed: number, homes: ServedHomes, isFetched: boolean): Promise<Tally> {
  const random = createRandom(seed);
  const peers = await openPeers(seed, homes);
  const served = peers.some(({ generation }) => generation === "0.10") ? "early" : "all";
  const things = await openThings(peers, random);
  const exchange = () => {
    for (const to of peers) fetchFrom(to, ...peers.filter((from) => from !== to));
  };
  exchange();
  const tally: Tally = { overHttp: 0, byRad: 0, refused: 0, refusedByRad: 0, crafted: 0 };
  const tips: CraftedTips = new Map();
  // Programs of the two generations judge crafted signatures by different rules.
  const maySignCraftily = new Set(peers.map(({ generation }) => generation)).size === 1;
  while (tally.overHttp + tally.byRad < CHANGES) {
    const [peer, thing] = [random.pick(peers), random.pick(things)];
    if (maySignCraftily && random.below(CHANGES_A_CRAFTED) === 0) {
      const projects = peers.map(({ project }) => project);
      thing.ids.push(
        await craftComment(
          projects,
          { ...thing, id: parseOid(thing.id) },
          tips,
          random,
          START_S + random.below(6),
        ),
      );
      peers.forEach(rebuild);
      tally.crafted++;
    }
    if (random.below(RAD_EVERY) === 0) {
      tally[changeByRad(peer, thing, random, START_S + random.below(6)) ? "byRad" : "refusedByRad"]++;
    } else {
      let tries = 1;
      while (tries < MAX_TRIES && !await changeByHttp(peer, thing, random, served)) tries++;
      if (tries < MAX_TRIES) tally.overHttp++;
      tally.refused += tries - 1;
    }
    if (random.below(CHANGES_TOGETHER) === 0) {
      const [to, from] = random.shuffle(peers);
      assertRows(to!);
      fetchFrom(to!, from!);
    }
  }
  peers.forEach(assertRows);
  exchange();
  await assertAllSame(peers, things);
  await Promise.all(peers.map(({ service }) => service.stop()));
  if (isFetched) await assertFetched(peers[0]!, peers);
  return tally;
}

/** Checks that all peers' `rad` and services make the same of all objects, and that nothing is damaged. */
async function assertAllSame(peers: readonly Peer[], things: readonly Thing[]): Promise<void> {
  const rowsByGeneration = new Map<Generation, unknown>();
  const answers: unknown[] = [];
  for (const { generation, alias, project, clients: [client] } of peers) {
    const { home } = project.rad;
    const rows = readRows(home);
    assert.equal(rows.length, things.length);
    // Rows that are written at once, not after each change, are those of `rad`, too.
    await writeRows(home, rows);
    assert.deepEqual(statesOf(readRows(home)), statesOf(rows), `rows of ${alias} (${generation})`);
    const states = rowsByGeneration.get(generation) ?? statesOf(rows);
    rowsByGeneration.set(generation, states);
    assert.deepEqual(statesOf(rows), states, `rows of ${alias} (${generation})`);

    const shown = await Promise.all(things.map((thing) => client!.read(pathOf(thing))));
    assert.deepEqual(
      shown,
      await readAfresh(home, project.rid, things),
      `answers to ${alias} (${generation})`,
    );
    answers.push(withoutAliases(shown));
    assert.deepEqual(answers.at(-1), answers[0], `answers to ${alias} (${generation})`);
    assertIntact(project);
    await assertSigned(project);
  }
}

/** What a service that has just been started shows. */
async function readAfresh(home: string, rid: RepoId, things: readonly Thing[]): Promise<unknown[]> {
  const { api, close } = await createHomeApi({ home });
  try {
    const paths = things.map((thing) => `http://localhost/api/v1/projects/${rid}${pathOf(thing)}`);
    return await Promise.all(paths.map(async (path) => await (await api.fetch(new Request(path))).json()));
  } finally {
    await close();
  }
}

/** An answer without names of nodes, of which everybody knows others. */
function withoutAliases(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer, (name, value) => name === "alias" ? undefined : value));
}
