/** The service that the statements of the specification are held against: a node with a garden of repositories. */
import type { ApiOptions, Client, RadicleNode } from "../../mod.ts";
import { loadLibgit2 } from "../../src/diff/libgit2/carried.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { completeConfig } from "../../src/profile/config.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { type Answer, createTestApi, OWNER, STRANGER } from "../support/api.ts";
import { signInMessage, Wallet } from "../session/wallet.ts";
import { signerOf } from "../support/keys.ts";
import {
  ALICE,
  ALICE_SEED,
  BOB,
  BOB_SEED,
  createRepository,
  type Folder,
  publish,
  putBlob,
  putCommit,
  setHead,
  START_SECONDS,
  type World,
} from "../support/world.ts";

/** The clock of the service at first, in milliseconds. */
export const NOW_MS = (START_SECONDS + 10_000) * 1000;
/** An id of no object. */
export const ABSENT: Oid = "f".repeat(40) as Oid;
/** Candidates of a readme in their order (4.2). */
export const READMES = ["README", "README.md", "README.markdown", "README.txt", "README.rst", "Readme.md"];

const WEEK_SECONDS = 7 * 24 * 60 * 60;
/** Configuration of the node: what it lacks is completed. */
const CONFIG = {
  node: { alias: "alice" },
  web: { pinned: { repositories: [] as string[] } },
};

const lines = (name: string, changed?: string) =>
  Array.from({ length: 12 }, (_, i) => `${i === 5 && changed !== undefined ? changed : `${name} ${i}`}\n`)
    .join("");

/** Values that requests name in braces: `GET /projects/{rid}`. */
export type Names = Record<string, string>;

/** Sends a request written as `METHOD /path` below `/api/v1`, with its names filled in. */
export type Ask = (request: string, options?: AskOptions) => Promise<Answer>;

/** What else a request has. */
export interface AskOptions {
  /** Sent as JSON, with its names filled in; text as it is. */
  readonly body?: unknown;
  /** A stranger by default; `bearer`: a stranger with an authorized session. */
  readonly by?: "owner" | "stranger" | "bearer";
  readonly headers?: Record<string, string>;
}

/** A running service. */
export interface Running {
  readonly ask: Ask;
  readonly names: Names;
  readonly world: World;
  /** Repositories that the node was asked to announce. */
  readonly announced: RepoId[];
  /** Calls of the node: `seed rid scope`, `unseed rid`, `fetch rid nid`. */
  readonly calls: string[];
  /** The clock of the service, which a row may move. */
  readonly clock: { nowMs: number };
}

/**
 * How a service is set up: as usual, without the key of the node, next to a node that does not tell its
 * configuration, or for wallets, whose service may have a domain that is none.
 */
export type Setup = "usual" | "no key" | "silent node" | "wallets" | "wallets without a domain";

/** The wallet that may change things. */
const WALLET = new Wallet(1);
const SERVICE_DOMAIN = "localhost:3000";
/** The clock of a service for wallets at first: some seconds after their messages. */
export const SIGNED_AT = "2023-01-27T09:05:10Z";

/** A message of the wallet, and its signature. */
export function walletProof(nonce: string, more: readonly string[] = [], domain = SERVICE_DOMAIN) {
  const message = signInMessage({ domain, address: WALLET.address, nonce, more });
  return { message, signature: WALLET.signHex(message) };
}

/** The repositories and their ids. */
function createGarden() {
  const storage = createMemoryStorage();
  const garden = createRepository(storage, { name: "garden", description: "What grows" });
  const commit = (folder: Folder, parents: readonly Oid[], message: string, more: object = {}) =>
    putCommit(garden, { folder, parents, message, ...more });
  const first = commit(
    {
      README: "one\ntwo\nthree\n",
      "poem.txt": lines("poem"),
      "list.txt": lines("list"),
      "notes.txt": "gone\n",
    },
    [],
    "Plant the garden\n\nWith all its plants.\n",
  );
  const second = commit(
    {
      README: "one\n2\nthree\n",
      "poem.txt": lines("poem"),
      "list.txt": lines("list"),
      src: { "main.txt": "x\n" },
    },
    [first],
    "Weed\n",
    { timeSeconds: START_SECONDS + 1000, person: "Bob <bob@example.org>" },
  );
  const head = commit(
    {
      README: "one\n2\nthree\n",
      "poem.txt": lines("poem", "changed"),
      "copy.txt": lines("poem"),
      "items.txt": lines("list", "changed"),
      picture: Uint8Array.of(0x89, 0x50, 0, 0xff),
      src: { "main.txt": "x\n", deep: { "leaf.txt": "leaf\n" } },
    },
    [second],
    "Move things\n",
    { timeSeconds: START_SECONDS + 2000 },
  );
  const topic = commit({ README: "topic\n" }, [second], "Try a topic\n", {
    timeSeconds: START_SECONDS + 3000,
  });
  setHead(garden, head);
  garden.setRef("refs/heads/old", second);
  garden.setRef("refs/remotes/bob/master", first);
  publish(garden, ALICE_SEED, { master: head }, { "refs/tags/v1": first });
  publish(garden, BOB_SEED, { topic, "feature/leaf": second });

  const secret = createRepository(storage, { name: "secret", isPrivate: true });
  const secretHead = putCommit(secret, { folder: { README: "Private\n" }, message: "Hide\n" });
  setHead(secret, secretHead);
  publish(secret, ALICE_SEED, { master: secretHead });

  const duo = createRepository(storage, { name: "duo", delegates: [ALICE, BOB], threshold: 2 });
  const old = putCommit(duo, {
    folder: { a: "1" },
    message: "Old\n",
    timeSeconds: NOW_MS / 1000 - 53 * WEEK_SECONDS,
  });
  const young = putCommit(duo, {
    folder: { a: "2" },
    parents: [old],
    message: "Young\n",
    timeSeconds: NOW_MS / 1000 - 51 * WEEK_SECONDS,
  });
  setHead(duo, young);
  for (const seed of [ALICE_SEED, BOB_SEED]) publish(duo, seed, { master: young });

  const headless = createRepository(storage, { name: "headless" });
  let long = first;
  for (let i = 0; i < 30; i++) long = commit({ README: `${i}\n` }, [long], `Grow ${i}\n`);
  const names = { first, second, head, topic, long, old, young, blob: putBlob(garden, "one\n2\nthree\n") };
  const world: World = {
    storage,
    hello: garden,
    secret,
    helloRid: garden.rid,
    secretRid: secret.rid,
    commits: [first, second, head],
    secretHead,
  };
  return { world, names: { ...names, duo: duo.rid, headless: headless.rid } };
}

/** Commits with the readme candidates from the n-th on, and one without any. */
export function putReadmes(
  repository: MemoryRepository,
): readonly (readonly [name: string | undefined, Oid])[] {
  const candidates = [...new Set([...READMES, ...READMES.map((name) => name.toLowerCase())])];
  return [...candidates.map((_, i) => candidates.slice(i)), []].map((rest) => {
    const folder = Object.fromEntries([["other", "x"], ...rest.map((name) => [name, `I am ${name}\n`])]);
    return [rest[0], putCommit(repository, { folder, message: "Read me\n" })] as const;
  });
}

function createNode(setup: Setup, announced: RepoId[], calls: string[], rid: RepoId): RadicleNode {
  const config = setup === "silent node" ? undefined : CONFIG.node;
  return {
    ...createAbsentNode(),
    status: () => Promise.resolve({ state: "running", config }),
    policies: () => Promise.resolve([{ rid, scope: "followed", policy: "allow" }]),
    seed: (rid, scope) => Promise.resolve(void calls.push(`seed ${rid} ${scope}`)),
    unseed: (rid) => Promise.resolve(void calls.push(`unseed ${rid}`)),
    fetch(rid, nid) {
      calls.push(`fetch ${rid} ${nid}`);
      return Promise.resolve({ status: "success", updated: [], namespaces: [] });
    },
    aliases: (nodes) => Promise.resolve(new Map(nodes.includes(BOB) ? [[BOB, "bob"]] : [])),
    inventory: (node) => Promise.resolve(node === BOB ? [rid] : []),
    seedCounts: () => Promise.resolve(new Map([[rid, 3]])),
    announce: (rid) => void announced.push(rid),
  };
}

/**
 * Starts the service. As usual, somebody is signed in (`{session}`), another session waits (`{waiting}`), and there
 * are issues and a patch.
 */
export async function startGarden(
  setup: Setup = "usual",
  options: Partial<ApiOptions> = {},
): Promise<Running> {
  const { world, names: given } = createGarden();
  const signer = await signerOf(ALICE_SEED);
  const clock = { nowMs: NOW_MS };
  const isForWallets = setup === "wallets" || setup === "wallets without a domain";
  const [announced, calls]: [RepoId[], string[]] = [[], []];
  const { get } = createTestApi({
    loadLibgit2,
    profile: {
      nodeId: ALICE,
      alias: "alice",
      pinned: () => [world.helloRid],
      home: "/home/alice/.radicle",
      config: () => completeConfig(CONFIG),
    },
    ...setup !== "no key" && { signer: () => signer },
    ...isForWallets && {
      wallets: { addresses: [WALLET.address], domain: setup === "wallets" ? SERVICE_DOMAIN : "no domain" },
    },
    node: createNode(setup, announced, calls, world.helloRid),
    environment: { now: () => clock.nowMs },
    ...options,
  }, world);
  const names: Names = {
    ...given,
    rid: world.helloRid,
    secret: world.secretRid,
    secretHead: world.secretHead,
    absent: ABSENT,
    absentRid: "rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx",
    alice: ALICE,
    bob: BOB,
    did: didOfNid(ALICE),
    bobDid: didOfNid(BOB),
  };
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, name) => names[name] ?? fail(`nothing is called {${name}}`));
  const filled = (value: unknown): unknown => {
    if (typeof value === "string") return fill(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(filled);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]));
  };
  const ask: Ask = (request, { body, by = "stranger", headers = {} } = {}) => {
    const [method = "", path = ""] = fill(request).split(" ");
    const client: Client = by === "owner" ? OWNER : STRANGER;
    return get(path, client, {
      method,
      headers: {
        ...by === "bearer" && { authorization: `Bearer ${names["session"]}` },
        ...body !== undefined && { "content-type": "application/json" },
        ...headers,
      },
      ...body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(filled(body)) },
    });
  };
  const running: Running = { ask, names, world, announced, calls, clock };
  if (isForWallets) {
    clock.nowMs = Date.parse(SIGNED_AT);
    const { id, nonce } = (await ask("POST /sessions")).body;
    Object.assign(names, { session: id, nonce, ...walletProof(nonce) });
    return running;
  }
  const sign = async (text: string) =>
    encodeMultibase(await signer.sign(new TextEncoder().encode(fill(text))));
  for (const name of ["session", "waiting"]) names[name] = (await ask("POST /sessions")).body.sessionId;
  names["sig"] = await sign("{session}:{alice}");
  names["waitingSig"] = await sign("{waiting}:{alice}");
  await ask("PUT /sessions/{session}", { body: { sig: "{sig}", pk: "{alice}" } });
  if (setup === "no key") return running;

  /** Changes something, and gives the id of the change a name. */
  const change = async (name: string, request: string, body: unknown) => {
    const answer = await ask(request, { by: "bearer", body });
    if (answer.body?.success !== true) fail(`${request} for {${name}}: ${JSON.stringify(answer.body)}`);
    names[name] = answer.body.id;
  };
  const draft = { title: "Leaves hang", description: "All of them.", labels: [], assignees: [], embeds: [] };
  await change("issue", "POST /projects/{rid}/issues", draft);
  const on = (path: string) => `PATCH /projects/{rid}/${path}`;
  await change("comment", on("issues/{issue}"), {
    type: "comment",
    body: "Water?",
    replyTo: "{issue}",
    embeds: [],
  });
  await change("closed", "POST /projects/{rid}/issues", { ...draft, title: "Done", labels: ["b", "a"] });
  const closing = { type: "lifecycle", state: { status: "closed", reason: "solved" } };
  await change("closing", on("issues/{closed}"), closing);
  const patch = {
    title: "Prune",
    description: "A bit.",
    target: "{first}",
    oid: "{second}",
    labels: ["tree"],
  };
  await change("patch", "POST /projects/{rid}/patches", patch);
  const location = {
    commit: "{second}",
    path: "README",
    old: null,
    new: { type: "lines", range: { start: 1, end: 2 } },
  };
  const remark = { type: "revision.comment", revision: "{patch}", body: "Why?", location };
  await change("remark", on("patches/{patch}"), remark);
  const review = { type: "review", revision: "{patch}", summary: "Fine", verdict: "accept", labels: [] };
  await change("review", on("patches/{patch}"), review);
  const note = { type: "review.comment", review: "{review}", body: "Nice", location, embeds: [] };
  await change("note", on("patches/{patch}"), note);
  return running;
}

function fail(message: string): never {
  throw new Error(message);
}
