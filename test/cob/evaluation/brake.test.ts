/**
 * The brake: a change never makes an entry unreachable that the node's own reference reached. Each way in which our
 * evaluation has differed from that of the real programs is put back in on purpose: the entry's bytes are of that
 * form, and a reader takes them for what an earlier evaluation took them for.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findLostEntry } from "../../../src/cob/write/write_base.ts";
import { toChange } from "../../../src/cob/write/change.ts";
import { type EntryFound, EntryReader } from "../../../src/cob/entry/entry_reader.ts";
import { MAX_ENTRIES } from "../../../src/cob/entry/graph.ts";
import { draftIssue } from "../../../src/cob/write/issue_request.ts";
import { decodeIssueAction, type IssueAction } from "../../../src/cob/issue/issue.ts";
import { issueType } from "../../../src/cob/evaluation/object_types.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { ObjectStore } from "../../../src/cob/evaluation/store.ts";
import { createDocsByCommit } from "../../../src/cob/evaluation/evaluation_context.ts";
import { ConflictError } from "../../../src/errors.ts";
import { parseCommit } from "../../support/commits.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { Repository, WritableRepository } from "../../../src/ports/storage.ts";
import type { MemoryRepository } from "../../../src/storage/memory.ts";
import type { Folder } from "../../support/world.ts";
import { createWriter as createPerson, putEntry, setTip } from "../entries.ts";
import { createFixtureWorld, createWriter } from "../fixture_world.ts";
import { Task } from "../../../src/scheduling/task.ts";

const RULES_USED = RULES.newest;
const DRAFT = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
/** The node whose key the home has; its secret is that of the fixture's founder. */
const OWNER_BYTE = 0xff;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** How an evaluation takes an entry: dropped with all on top of it, read as nothing, or as another entry is read. */
type Taken = "dropped" | "unreadable" | { readonly like: Oid };

/** A reader that takes some entries in another way than their bytes ask for. */
class PeculiarReader extends EntryReader<IssueAction> {
  readonly #taken: ReadonlyMap<Oid, Taken>;

  constructor(taken: ReadonlyMap<Oid, Taken>) {
    super((value) => decodeIssueAction(value, RULES_USED), RULES_USED);
    this.#taken = taken;
  }

  override async read(repository: Repository, oids: readonly Oid[]): Promise<EntryFound<IssueAction>[]> {
    const likes = oids.map((oid) => {
      const taken = this.#taken.get(oid);
      return typeof taken === "object" ? taken.like : oid;
    });
    return (await super.read(repository, likes, new Task())).map((found, i) => {
      const id = oids[i]!;
      const taken = this.#taken.get(id);
      if (taken === undefined || typeof found === "string") return taken === undefined ? found : "unreadable";
      if (taken === "unreadable") return taken;
      return taken === "dropped" ? { ...found, actions: undefined } : { ...found, id };
    });
  }
}

/** A difference between evaluations. */
interface Difference {
  readonly what: string;
  /** How the evaluation takes the entry that does not count it. */
  readonly taken: "dropped" | "unreadable";
  /** Text of the entry's only action, or of its manifest, in place of a sound one; `ISSUE` stands for the issue. */
  readonly folder?: Folder;
  /** Changes the text of the entry's commit. */
  readonly commit?: (text: string) => string;
}

const armour = (text: string) =>
  /-----BEGIN SSH SIGNATURE-----\n (.*)\n -----END/s.exec(text)![1]!.replaceAll("\n ", "");
const rewrap = (columns: number) => (text: string) => {
  const lines = armour(text).match(new RegExp(`.{1,${columns}}`, "g"))!.join("\n ");
  return text.replace(/(BEGIN SSH SIGNATURE-----\n ).*(\n -----END)/s, `$1${lines}$2`);
};
const action = (text: string): Folder => ({ 0: text });

/** What an evaluation counted that `rad` drops. */
const TOO_LENIENT: readonly Difference[] = [
  {
    what: "a member twice",
    taken: "dropped",
    folder: action('{"body":"a","body":"b","replyTo":"ISSUE","type":"comment"}'),
  },
  {
    what: "the type twice",
    taken: "dropped",
    folder: action('{"body":"a","replyTo":"ISSUE","type":"comment","type":"comment"}'),
  },
  {
    what: "1.0 in a range",
    taken: "dropped",
    folder: action(
      '{"body":"a","location":{"commit":"ISSUE","new":{"range":{"end":2.0,"start":1.0},"type":"lines"},"old":null,"path":"p"},"type":"comment"}',
    ),
  },
  {
    what: "a short object id",
    taken: "dropped",
    folder: action('{"body":"a","replyTo":"abcd","type":"comment"}'),
  },
  {
    what: "a merge of a missing commit",
    taken: "dropped",
    folder: action(`{"commit":"${"f".repeat(40)}","revision":"ISSUE","type":"merge"}`),
  },
  {
    what: "a short foreign trailer",
    taken: "unreadable",
    commit: (text) => text.replace("Rad-Resource", "Foreign: abcd\nRad-Resource"),
  },
  {
    what: "a folded trailer",
    taken: "unreadable",
    commit: (text) => text.replace(/(Rad-Resource: .{20})/, "$1\n "),
  },
  { what: "armour of 64 columns", taken: "unreadable", commit: rewrap(64) },
  { what: "armour of 76 columns", taken: "unreadable", commit: rewrap(76) },
  { what: "armour on one line", taken: "unreadable", commit: rewrap(1000) },
  {
    what: "armour with a blank line",
    taken: "unreadable",
    commit: (text) => text.replace("BEGIN SSH SIGNATURE-----\n ", "BEGIN SSH SIGNATURE-----\n \n "),
  },
  {
    what: "a committer without zone",
    taken: "unreadable",
    commit: (text) => text.replace(/^(committer .*) \+0000$/m, "$1"),
  },
  {
    what: "a committer with a bad zone",
    taken: "unreadable",
    commit: (text) => text.replace(/^(committer .*) \+0000$/m, "$1 zone"),
  },
  {
    what: "an author without address",
    taken: "unreadable",
    commit: (text) => text.replace(/^author (\S+) <.*>/m, "author $1"),
  },
  {
    what: "an author without name",
    taken: "unreadable",
    commit: (text) => text.replace(/^author \S+ /m, "author "),
  },
  {
    what: "a manifest with both typeName and typename",
    taken: "unreadable",
    folder: { manifest: '{"typeName":"xyz.radicle.issue","typename":"xyz.radicle.issue","version":1}' },
  },
  {
    what: "a manifest of version 1.0",
    taken: "unreadable",
    folder: { manifest: '{"typeName":"xyz.radicle.issue","version":1.0}' },
  },
];

/** What an evaluation did not count that `rad` does. */
const TOO_STRICT: readonly Difference[] = [
  {
    what: "an action as an array",
    taken: "dropped",
    folder: action('["comment","text","ISSUE",[]]'),
  },
  {
    what: "embeds as arrays",
    taken: "dropped",
    folder: action('{"body":"a","embeds":[["n","git:x"]],"replyTo":"ISSUE","type":"comment"}'),
  },
  {
    what: "a range as an array",
    taken: "dropped",
    folder: action(
      '{"body":"a","location":{"commit":"ISSUE","new":{"range":[1,2],"type":"lines"},"old":null,"path":"p"},"type":"comment"}',
    ),
  },
  {
    what: "a number above 2^53",
    taken: "dropped",
    folder: action(
      '{"body":"a","location":{"commit":"ISSUE","new":{"range":{"end":18446744073709551615,"start":1},"type":"lines"},"old":null,"path":"p"},"type":"comment"}',
    ),
  },
  {
    what: "a target as an object",
    taken: "dropped",
    folder: action('{"target":{"delegates":null},"title":"t","type":"edit"}'),
  },
  {
    what: "armour with CRLF",
    taken: "unreadable",
    commit: (text) =>
      text.replace(/gpgsig (.*?END SSH SIGNATURE-----)/s, (all) => all.replaceAll("\n", "\r\n")),
  },
  {
    what: "a manifest as an array",
    taken: "unreadable",
    folder: { manifest: '["xyz.radicle.issue",1]' },
  },
  {
    what: "a commit above our size limit",
    taken: "unreadable",
    commit: (text) => text.replace("Change\n", `${"Change\n".repeat(2 ** 17)}`),
  },
];

const owner = createPerson(OWNER_BYTE);
const stranger = createPerson(2);
/** Somebody whose reference leads to the issue in any case. */
const bystander = createPerson(3);

/** An issue of the owner's, in a repository that counts what is written to it. */
async function createSetting() {
  const world = await createFixtureWorld("ff".repeat(32));
  const { repository, identity } = world;
  const sound = createWriter(world, { rules: "newest" });
  const issue = await sound.writer.create(sound.issues, sound.place, await draftIssue(repository, DRAFT));
  const ref = `refs/namespaces/${owner.nid}/refs/cobs/xyz.radicle.issue/${issue}`;
  const put = (
    person: typeof owner,
    parents: readonly Oid[],
    { folder, commit }: Partial<Difference> = {},
  ) => {
    const texts = Object.entries(folder ?? {}).map((
      [name, text],
    ) => [name, String(text).replaceAll("ISSUE", issue)]);
    const oid = putEntry(repository, {
      writer: person,
      actions: [{ type: "comment", body: `${person.nid} on ${parents}`, replyTo: issue }],
      parents,
      resource: identity,
      folder: Object.fromEntries(texts),
    });
    return commit === undefined
      ? oid
      : repository.put("commit", encoder.encode(commit(decoder.decode(repository.object(oid)!.bytes))));
  };
  const log: string[] = [];
  /** A service that takes some entries in its own way. */
  const serve = (taken: Readonly<Record<Oid, Taken>>, watched: WritableRepository = repository) => {
    const tell = (_level: string, message: string) => void log.push(message);
    const store = new ObjectStore(
      issueType,
      RULES_USED,
      { docs: createDocsByCommit(), log: tell },
      new PeculiarReader(new Map(Object.entries(taken) as [Oid, Taken][])),
    );
    const { writer, place } = createWriter(world, { rules: "newest", log: tell });
    return (title: string) =>
      writer.update(
        store,
        { ...place, objects: watched },
        issue,
        () => toChange(repository, { type: "edit", title }),
      );
  };
  const point = (person: typeof owner, entry: Oid) => setTip(repository, person.nid, issue, entry);
  point(bystander, put(bystander, [issue]));
  return { repository, issue, ref, put, serve, point, log, tip: () => repository.ref(ref)?.oid };
}

/** A repository to which nothing may be written. */
function forbidWrites(repository: MemoryRepository): WritableRepository {
  return {
    ...repository,
    writeObjects: () => assert.fail("wrote objects"),
    updateRef: () => assert.fail("moved a reference"),
  };
}

/** A repository in which some objects are gone. */
function hide(repository: MemoryRepository, ...gone: readonly Oid[]): WritableRepository {
  return {
    ...repository,
    header: (oid) => gone.includes(oid) ? undefined : repository.header(oid),
    object: (oid) => gone.includes(oid) ? undefined : repository.object(oid),
    objects: (oids) => oids.map((oid) => gone.includes(oid) ? undefined : repository.object(oid)),
  };
}

/** Commits that entries stand on, identities left out. */
function entriesBelow(repository: MemoryRepository, entry: Oid): Set<Oid> {
  const reached = new Set<Oid>([entry]);
  for (const oid of reached) {
    const object = repository.object(oid);
    if (object !== undefined) { for (const parent of parseCommit(object.bytes).parents) reached.add(parent); }
  }
  return reached;
}

/** A change is refused, in words that name the entry and the way out, with a line in the log; nothing is written. */
async function assertRefused(
  { repository, log, serve }: Awaited<ReturnType<typeof createSetting>>,
  taken: Readonly<Record<Oid, Taken>>,
  lost: Oid,
): Promise<void> {
  const before = repository.refs("refs/");
  await assert.rejects(() => serve(taken, forbidWrites(repository))("web"), (error) => {
    assert.ok(error instanceof ConflictError, String(error));
    assert.match(error.message, new RegExp(`lose entry ${lost}`));
    assert.match(error.message, /change the object once with rad/);
    return true;
  });
  assert.deepEqual(repository.refs("refs/"), before);
  assert.ok(log.some((line) => line.includes(`lose entry ${lost}`)), log.join("\n"));
}

for (const [column, differences] of [["lenient", TOO_LENIENT], ["strict", TOO_STRICT]] as const) {
  describe(`an evaluation that was too ${column} about an entry`, () => {
    for (const difference of differences) {
      const { what, taken } = difference;

      it(`does not lose the owner's own: ${what}`, async () => {
        const setting = await createSetting();
        const own = setting.put(owner, [setting.issue], difference);
        setting.point(owner, own);
        await assertRefused(setting, { [own]: taken }, own);
      });

      it(`does not lose what the owner wrote on top of a stranger's: ${what}`, async () => {
        const setting = await createSetting();
        const { repository, issue, put, point, serve, tip } = setting;
        const theirs = put(stranger, [issue], difference);
        const own = put(owner, [theirs]);
        point(stranger, theirs);
        point(owner, own);
        if (taken === "dropped") await assertRefused(setting, { [theirs]: taken }, theirs);
        else {
          // It is not counted, but an entry to be written on top of, as for the real programs.
          await serve({ [theirs]: taken })("web");
          assert.ok(entriesBelow(repository, tip()!).has(own));
        }
      });

      it(`goes on after one change by rad: ${what}`, async () => {
        const setting = await createSetting();
        const { repository, issue, put, point, serve, tip } = setting;
        const theirs = put(stranger, [issue], difference);
        point(stranger, theirs);
        // As long as it counted, it was written on top of.
        const own = await serve({ [theirs]: { like: put(stranger, [issue]) } })("earlier");
        assert.equal(tip(), own);
        assert.ok(entriesBelow(repository, own).has(theirs));
        if (taken === "dropped") await assertRefused(setting, { [theirs]: taken }, theirs);
        // The programs that drop it set the owner's reference to an entry without it.
        const byRad = put(owner, [issue]);
        point(owner, byRad);
        const next = await serve({ [theirs]: taken })("web");
        assert.equal(tip(), next);
        const below = entriesBelow(repository, next);
        assert.ok(below.has(byRad) && !below.has(theirs));
      });
    }
  });
}

describe("the brake", () => {
  it("names the entry with which the trouble begins", async () => {
    const setting = await createSetting();
    const { issue, put, point } = setting;
    const sound = put(stranger, [issue]);
    const first = put(stranger, [sound], { folder: action("{}") });
    let own = put(owner, [first]);
    for (let i = 0; i < 3; i++) own = put(owner, [own]);
    point(owner, own);
    await assertRefused(setting, { [first]: "dropped" }, first);
  });

  it("holds for an entry that is not read, and for one below it that is", async () => {
    const setting = await createSetting();
    const { issue, put, point } = setting;
    const below = put(stranger, [issue]);
    const own = put(owner, [below]);
    point(owner, own);
    await assertRefused(setting, { [own]: "unreadable" }, own);
  });

  it("is off for an entry that is reachable from the next one, whatever the authors of later entries", async () => {
    const { repository, issue, put, point, serve, tip } = await createSetting();
    const own = put(owner, [issue]);
    const theirs = put(stranger, [own]);
    point(owner, own);
    point(stranger, theirs);
    const next = await serve({ [own]: "unreadable" })("web");
    assert.equal(tip(), next);
    assert.ok(entriesBelow(repository, next).has(own));
  });

  it("costs nothing while entries count, whatever the author of the last one", async () => {
    const { repository, issue, put, point, tip } = await createSetting();
    const own = put(owner, [issue]);
    point(owner, own);
    point(stranger, put(stranger, [own]));
    const store = new ObjectStore(issueType, RULES_USED, { docs: createDocsByCommit(), log: () => {} });
    const asked: Oid[] = [];
    const read = store.reader.read.bind(store.reader);
    store.reader.read = (repository, oids, ...more) => {
      asked.push(...oids);
      return read(repository, oids, ...more);
    };
    const { writer, place } = createWriter({
      repository,
      signer: (await createFixtureWorld("ff".repeat(32))).signer,
    });
    const change = (title: string) =>
      writer.update(store, place, issue, () => toChange(repository, { type: "edit", title }));
    await change("a");
    assert.equal(await change("b"), tip());
    assert.ok(asked.length > 0);
    assert.equal(new Set(asked).size, asked.length, "an evaluation reads each entry once");
  });

  it("does not count an entry whose objects are gone", async () => {
    const { repository, issue, put, point, serve, tip } = await createSetting();
    const own = put(owner, [issue]);
    point(owner, own);
    const { tree } = parseCommit(repository.object(own)!.bytes);
    const next = await serve({}, hide(repository, tree))("web");
    assert.equal(tip(), next);
  });

  it("counts entries below one whose objects are gone", async () => {
    const setting = await createSetting();
    const { repository, issue, put, point, serve, tip } = setting;
    const below = put(owner, [issue]);
    const own = put(owner, [below]);
    point(owner, own);
    const { tree } = parseCommit(repository.object(own)!.bytes);
    await assert.rejects(() => serve({}, forbidWritesTo(hide(repository, tree)))("web"), new RegExp(below));
    // Still reachable from elsewhere, so there is something to build on.
    point(stranger, below);
    assert.ok(entriesBelow(repository, await serve({}, hide(repository, tree))("web")).has(below));
    assert.notEqual(tip(), own);
  });

  it("reads no more entries than an object may have", async () => {
    const oid = (n: number) => n.toString(16).padStart(40, "0") as Oid;
    let reads = 0;
    const reader = {
      read: (_: unknown, oids: readonly Oid[]) => {
        reads += oids.length;
        return Promise.resolve(oids.map((id) => {
          const n = parseInt(id, 16);
          return { id, parents: [oid(n + 1)] } as unknown as EntryFound<unknown>;
        }));
      },
    };
    const kept = {
      rules: RULES_USED,
      read: (_: unknown, oids: readonly Oid[]) =>
        oids.includes(oid(0))
          ? Promise.resolve([{ id: oid(0), parents: [] } as unknown as EntryFound<unknown>])
          : reader.read(_, oids),
    };
    const { repository } = await createSetting();
    assert.ok(await findLostEntry(kept, repository, oid(1), [oid(0)], new Task()));
    assert.ok(reads <= MAX_ENTRIES);
  });
});

function forbidWritesTo(repository: WritableRepository): WritableRepository {
  return {
    ...repository,
    writeObjects: () => assert.fail("wrote objects"),
    updateRef: () => assert.fail("moved a reference"),
  };
}
