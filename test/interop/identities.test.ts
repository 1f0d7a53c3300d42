/**
 * Random identities: proposals, votes, edits and withdrawals by several keys, concurrent and not, some of them signed wrongly. What `rad cob show`
 * makes of them we make of them. `XYLEM_IDENTITIES=1000` makes more, `XYLEM_SEED=7` others.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import type { EarlyIdentity, EarlyProposal } from "../../src/cob/identity/early_identity.ts";
import type { Identity, Proposal } from "../../src/cob/identity/identity.ts";
import { IdentitySearch } from "../../src/cob/identity/identity_search.ts";
import { Refusal } from "../../src/cob/op.ts";
import { RULES } from "../../src/cob/rules.ts";
import { isUnreadable } from "../../src/errors.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { type Oid, oidToBytes } from "../../src/ids/oid.ts";
import { type RepoId, ridFromOid } from "../../src/ids/rid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { createWriter, putEntry, type Writer } from "../cob/entries.ts";
import { createRandom, type Random } from "../cob/random.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { GitRepository } from "../support/git.ts";
import {
  createRadHome,
  type Generation,
  GENERATIONS,
  type RadHome,
  removeFolder,
  temporaryFolder,
} from "../support/programs.ts";
import { ObjectPack } from "./fuzz/pack.ts";
import { Task } from "../../src/scheduling/task.ts";

const OBJECTS = Number(process.env["XYLEM_IDENTITIES"] ?? (ALL_WANTED ? 40 : 24));
const SEED = Number(process.env["XYLEM_SEED"] ?? 1);
const MAX_ENTRIES = 16;
const TYPE = "xyz.radicle.id";
const HOME_SEED = "d7".repeat(32);
const writers = [1, 2, 3, 4].map(createWriter);
const encoder = new TextEncoder();

const folder = temporaryFolder("identities");
after(() => removeFolder(folder));

/** The delegates that identities begin with. */
const FOUNDERS = [[0], [0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 2, 3], [0, 0, 1]];
/** Documents that are proposed: the numbers of their delegates, and how they are spelled. */
const SPELLINGS: readonly ((doc: object) => string)[] = [
  (doc) => JSON.stringify(doc),
  (doc) => JSON.stringify(doc),
  (doc) => JSON.stringify({ ...doc, visibility: { type: "public" }, more: 1 }, null, 1),
  (doc) => JSON.stringify({ ...doc, visibility: { type: "private" } }),
  (doc) => JSON.stringify({ ...doc, version: 2 }),
  (doc) => JSON.stringify({ ...doc, threshold: 9 }),
];

function spell(delegates: readonly number[], how: (doc: object) => string): string {
  return how({
    delegates: delegates.map((i) => didOfNid(writers[i]!.nid)),
    payload: { "xyz.radicle.project": { defaultBranch: "main", description: "", name: "x" } },
    threshold: 1,
  });
}

/** A repository in memory, all of whose objects and references go to a pack, too. */
function createRepository(
  founders: readonly number[],
): { repository: MemoryRepository; pack: ObjectPack; doc: string } {
  const doc = spell(founders, SPELLINGS[0]!);
  const blob = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp").put(
    "blob",
    encoder.encode(doc),
  );
  const memory = createMemoryStorage().create(ridFromOid(blob));
  const pack = new ObjectPack();
  const repository: MemoryRepository = {
    ...memory,
    put: (kind, bytes) => (pack.put(kind, bytes), memory.put(kind, bytes)),
    setRef: (name, oid) => (pack.setRef(name, oid), memory.setRef(name, oid)),
  };
  return { repository, pack, doc };
}

/** A random identity; returns its id. */
function putIdentity(repository: MemoryRepository, founding: string, random: Random): Oid {
  const blobOf = (doc: string) => repository.put("blob", encoder.encode(doc));
  const sign = (writer: Writer, doc: string) =>
    encodeMultibase(random.below(40) === 0 ? new Uint8Array(64) : writer.sign(oidToBytes(blobOf(doc))));
  const nonce = random.below(2 ** 30);
  const [founder] = writers;
  const root = putEntry(repository, {
    writer: founder!,
    type: TYPE,
    actions: [{
      type: "revision",
      title: `t${nonce}`,
      blob: blobOf(founding),
      parent: null,
      signature: encodeMultibase(founder!.sign(oidToBytes(blobOf(founding)))),
    }],
    folder: { embeds: { "radicle.json": founding } },
  });
  const entries: Oid[] = [root];
  const docs = new Map<Oid, string>([[root, founding]]);
  const voters = new Map<Oid, Set<Writer>>();
  const tips = new Map<Writer, Oid>([[founder!, root]]);
  const covered = new Set<Oid>();
  const length = 2 + random.below(MAX_ENTRIES);
  for (let i = 1; i < length; i++) {
    const proposals = [...docs.keys()];
    const recent = () => random.below(4) === 0 ? random.pick(proposals) : proposals.at(-1)!;
    const about = random.below(40) === 0 ? random.pick(entries) : recent();
    // Most entries are by somebody who may, and has not voted yet: what stands on a refused one falls with it.
    const likely = writers.filter((writer) =>
      founding.includes(writer.nid) && !(voters.get(about)?.has(writer) ?? false)
    );
    const writer = random.pick(likely.length === 0 || random.below(12) === 0 ? writers : likely);
    const propose = (): Record<string, unknown> => {
      const delegates = random.shuffle([0, 1, 2, 3]).slice(0, 1 + random.below(4));
      const how = SPELLINGS[random.below(10)] ?? SPELLINGS[0]!;
      const doc = spell(random.below(8) === 0 ? [0, ...delegates] : delegates, how);
      const proposed = random.below(12) === 0 ? docs.get(recent())! : doc;
      const parent = random.below(40) === 0 ? null : random.below(3) === 0 ? recent() : root;
      const signature = sign(writer, proposed);
      return { type: "revision", title: `t${i}`, blob: blobOf(proposed), parent, signature, proposed };
    };
    const actions = Array.from({ length: random.below(8) === 0 ? 2 : 1 }, (): Record<string, unknown> => {
      const kind = random.below(12);
      if (kind < 3 || about === root) return propose();
      if (kind === 3) return { type: "revision.redact", revision: about };
      if (kind === 4) return { type: "RevisionEdit", revision: about, title: `e${i}`, description: "d" };
      voters.set(about, (voters.get(about) ?? new Set()).add(writer));
      return kind === 5
        ? { type: "revision.reject", revision: about }
        : { type: "revision.accept", revision: about, signature: sign(writer, docs.get(about) ?? founding) };
    });
    const ends = entries.filter((entry) => !covered.has(entry));
    const parents = random.below(4) === 0
      ? [random.pick(entries)]
      : random.below(3) === 0
      ? [random.pick(ends)]
      : ends;
    const entry = putEntry(repository, {
      writer,
      type: TYPE,
      actions: actions.map(({ proposed: _, ...action }) => action),
      parents: [...parents].sort(),
      timeSeconds: 1_700_000_000 + i + random.below(4),
    });
    entries.push(entry);
    const made = actions.findLast(({ proposed }) => proposed !== undefined)?.["proposed"];
    if (typeof made === "string") {
      docs.set(entry, made);
      voters.set(entry, new Set([writer]));
    }
    parents.forEach((parent) => covered.add(parent));
    tips.set(writer, entry);
  }
  const spare = Array.from({ length: MAX_ENTRIES }, (_, i) => createWriter(100 + i));
  for (const end of entries.filter((entry) => !covered.has(entry))) {
    if (![...tips.values()].includes(end)) tips.set(spare.pop()!, end);
  }
  for (const [{ nid }, tip] of tips) {
    repository.setRef(`refs/namespaces/${nid}/refs/cobs/${TYPE}/${root}`, tip);
  }
  return root;
}

/** What `rad` makes of an identity, without documents and signatures; `undefined` when it is none. */
function showByRad(rad: RadHome, rid: RepoId, id: Oid): object | undefined {
  let text: string;
  try {
    text = rad.rad(folder, "cob", "show", "--repo", rid, "--type", TYPE, "--object", id);
  } catch {
    return undefined;
  }
  const { root, current, heads, revisions, timeline } = JSON.parse(text);
  const plain = Object.entries(revisions as Record<string, Record<string, unknown> | null>).map(
    ([id, revision]) => {
      if (revision === null) return [id, null];
      const { doc: _, verdicts, ...rest } = revision;
      const verdictsPlain = Object.entries(verdicts as object)
        .map(([node, verdict]) => [node, verdict === "Reject" ? "reject" : "accept"]);
      return [id, { ...rest, verdicts: Object.fromEntries(verdictsPlain) }];
    },
  );
  return { root, current, ...heads && { heads }, revisions: Object.fromEntries(plain), timeline };
}

async function showByUs(
  repository: MemoryRepository,
  generation: Generation,
  id: Oid,
): Promise<object | undefined> {
  const rules = RULES[generation];
  let identity: Identity | EarlyIdentity;
  try {
    identity = await new IdentitySearch(rules).evaluate(repository, id, new Task());
  } catch (error) {
    if (error instanceof Refusal || isUnreadable(error)) return undefined;
    throw error;
  }
  const { root, current, proposals, timeline } = identity;
  const revisions = [...proposals].map(([id, proposal]) => [id, proposal && toShown(proposal)]);
  const heads = "votes" in identity ? { heads: Object.fromEntries(identity.votes) } : {};
  return { root, current, ...heads, revisions: Object.fromEntries(revisions), timeline };
}

function toShown(
  { author, timeSeconds, doc: _, content: __, verdicts, ...rest }: Proposal | EarlyProposal,
): object {
  return {
    ...rest,
    author: { id: didOfNid(author) },
    timestamp: timeSeconds * 1000,
    verdicts: Object.fromEntries(verdicts),
  };
}

for (const generation of GENERATIONS) {
  describe(`identities as rad ${generation} evaluates them`, () => {
    for (const [i, founders] of FOUNDERS.entries()) {
      it(`founded with delegates ${founders.join()} (${i})`, async () => {
        const place = join(folder, `${generation}-${i}`);
        mkdirSync(place);
        const rad = createRadHome(generation, place, { alias: "alice", seed: HOME_SEED });
        const { repository, pack, doc } = createRepository(founders);
        const random = createRandom(SEED * 1000 + i);
        const ids = Array.from({ length: OBJECTS }, () => putIdentity(repository, doc, random));
        const { rid } = repository;
        pack.write(GitRepository.create(join(rad.home, "storage", rid.slice("rad:".length))));
        let accepted = 0;
        for (const id of ids) {
          const theirs = showByRad(rad, rid, id);
          assert.deepEqual(await showByUs(repository, generation, id), theirs, id);
          if (theirs !== undefined && (theirs as { current: Oid }).current !== id) accepted++;
        }
        assert.ok(accepted > OBJECTS / 20, `${accepted} of ${OBJECTS} identities were changed`);
      });
    }
  });
}
