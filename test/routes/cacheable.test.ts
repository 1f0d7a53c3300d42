/** Which answers may be kept, by whom, and what is asked for again. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Repository, Storage } from "../../mod.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { MAX_RAW_BYTES } from "../../src/routes/raw.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createTestApi, OWNER, STRANGER, type TestApi } from "../support/api.ts";
import {
  ALICE,
  createRepository,
  createWorld,
  putBlob,
  putCommit,
  setHead,
  type World,
} from "../support/world.ts";

/** Answers up to this length have a `Content-Length`; longer ones may be sent while they are made. */
const MIB = 2 ** 20;

const IMMUTABLE = "public, max-age=604800, immutable";
const PRIVATE = "private, no-store";
const FOLDER = { README: "Read me\n", docs: { "index.html": "<p>Read me\n" } };

/** A repository of two commits with the same tree, so that nothing needs comparing, on the branch `master`. */
interface Shelf {
  readonly repository: MemoryRepository;
  readonly rid: string;
  readonly root: Oid;
  readonly head: Oid;
  readonly blob: Oid;
  /** A path below it in the API. */
  path(rest: string): string;
  /** A path to its raw files. */
  raw(rest: string): string;
}

function createShelf(world: World, name: string, isPrivate = false): Shelf {
  const repository = createRepository(world.storage, { name, isPrivate });
  const root = putCommit(repository, { folder: {}, message: "Clear the shelf\n" });
  const first = putCommit(repository, { folder: FOLDER, message: "Fill it\n" });
  const head = putCommit(repository, { folder: FOLDER, parents: [first], message: "Look at it\n" });
  setHead(repository, head);
  return {
    repository,
    rid: repository.rid,
    root,
    head,
    blob: putBlob(repository, FOLDER.README),
    path: (rest) => `/projects/${repository.rid}${rest}`,
    raw: (rest) => `//raw/${repository.rid}${rest}`,
  };
}

function setUp(isPrivate = false): { world: World; shelf: Shelf; api: TestApi } {
  const world = createWorld();
  const shelf = createShelf(world, "shelf", isPrivate);
  return { world, shelf, api: createTestApi({}, world) };
}

/** Every path whose answers may be kept, and how. */
const paths = ({ root, head, blob, path, raw }: Shelf): [what: string, path: string, control: string][] => [
  ["a diff", path(`/diff/${head}/${head}`), IMMUTABLE],
  ["a file", path(`/blob/${head}/docs/index.html`), IMMUTABLE],
  ["a readme", path(`/readme/${head}`), IMMUTABLE],
  ["a raw file", raw(`/${head}/docs/index.html`), IMMUTABLE],
  ["a raw blob", raw(`/blobs/${blob}?mime=text/html`), IMMUTABLE],
  ["a raw file of the head", raw("/head/docs/index.html"), "no-cache"],
  ["a commit", path(`/commits/${root}`), "no-cache"],
  ["a root folder", path(`/tree/${head}/`), "no-cache"],
  ["a folder", path(`/tree/${head}/docs`), "no-cache"],
  ["a page of history", path(`/commits?parent=${root}`), "no-cache"],
];

describe("an answer", () => {
  for (const [i, [what]] of paths(setUp().shelf).entries()) {
    it(`on ${what} of a public repository may be kept by everybody, under a strong tag`, async () => {
      const { shelf, api } = setUp();
      const [, path, control] = paths(shelf)[i]!;
      for (const client of [STRANGER, OWNER]) {
        const first = await api.get(path, client);
        const again = await api.get(path, client);
        for (const { status, headers } of [first, again]) {
          assert.equal(status, 200);
          assert.equal(headers.get("cache-control"), control);
          assert.match(headers.get("etag") ?? "", /^"[0-9a-f]{32}"$/);
        }
        assert.deepEqual(again.body, first.body);
        assert.deepEqual([...again.headers], [...first.headers]);
      }
    });

    it(`on ${what} of a private repository is not cached`, async () => {
      const { shelf, api } = setUp(true);
      const [, path] = paths(shelf)[i]!;
      for (let time = 0; time < 2; time++) {
        const { status, headers } = await api.get(path, OWNER);
        assert.deepEqual([status, headers.get("cache-control")], [200, PRIVATE]);
        assert.deepEqual((await api.get(path, STRANGER)).status, 404);
      }
    });

    it(`on ${what} is not sent again to who has it`, async () => {
      const { shelf, api } = setUp();
      const [, path, control] = paths(shelf)[i]!;
      const { headers } = await api.get(path);
      const etag = headers.get("etag")!;
      for (const asked of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          const answer = await api.get(path, STRANGER, { method, headers: { "if-none-match": asked } });
          assert.deepEqual([answer.status, answer.body], [304, ""]);
          for (const name of ["etag", "vary", "access-control-allow-origin"]) {
            assert.equal(answer.headers.get(name), headers.get(name), name);
          }
          assert.equal(answer.headers.get("cache-control"), control);
          assert.equal(answer.headers.get("content-length"), null);
        }
      }
      const other = await api.get(path, STRANGER, { headers: { "if-none-match": '"other"' } });
      assert.equal(other.status, 200);
    });

    it(`on ${what} carries the same tag after a restart, and without memory`, async () => {
      const { world, shelf, api } = setUp();
      const [, path] = paths(shelf)[i]!;
      const { headers, body } = await api.get(path);
      const small = createTestApi({ memory: { answersBytes: 0 } }, world);
      for (const other of [createTestApi({}, world), small, small]) {
        const answer = await other.get(path);
        assert.deepEqual([answer.headers.get("etag"), answer.body], [headers.get("etag"), body]);
        const asked = { headers: { "if-none-match": headers.get("etag")! } };
        assert.equal((await other.get(path, STRANGER, asked)).status, 304);
      }
    });

    it(`on ${what} keeps its header fields when HEAD asks for it`, async () => {
      const { shelf, api } = setUp();
      const [, path] = paths(shelf)[i]!;
      const { headers } = await api.get(path);
      const head = await api.get(path, STRANGER, { method: "HEAD" });
      assert.deepEqual([head.status, head.body, [...head.headers]], [200, "", [...headers]]);
    });
  }

  it("that is an error may not be kept, and has no tag", async () => {
    const { shelf: { repository, head, path, raw }, api } = setUp();
    const large = putCommit(repository, {
      folder: { large: new Uint8Array(MAX_RAW_BYTES + 1) },
      message: "",
    });
    const missing = "f".repeat(40);
    const errors: [string, number][] = [
      [path(`/blob/${head}/absent`), 404],
      [path(`/blob/${missing}/README`), 404],
      [path(`/tree/${head}/absent`), 404],
      [path(`/diff/${missing}/${head}`), 404],
      [path(`/commits/${missing}`), 404],
      [path(`/commits?parent=${missing}`), 404],
      [path(`/commits?parent=${head}&page=x`), 400],
      [path("/blob/x..z/README"), 400],
      ["/projects/xyz/blob/xyz/README", 400],
      [raw(`/${large}/large`), 413],
      [raw(`/blobs/${missing}`), 404],
    ];
    for (const [one, status] of errors) {
      for (const init of [{}, { headers: { "if-none-match": "*" } }]) {
        const answer = await api.get(one, STRANGER, init);
        assert.deepEqual(
          [answer.status, answer.headers.get("cache-control"), answer.headers.get("etag")],
          [status, "no-store", null],
          one,
        );
      }
    }
  });

  it("on an object id in capitals may be kept, on a short one not", async () => {
    const { shelf: { repository, path }, api } = setUp();
    const blob = putBlob(repository, "x");
    const answer = await api.get(`//raw/${repository.rid}/blobs/${blob.toUpperCase()}`);
    assert.equal(answer.headers.get("cache-control"), IMMUTABLE);
    const short = await api.get(path("/readme/abc"));
    assert.deepEqual([short.status, short.headers.get("cache-control")], [404, "no-store"]);
  });

  it("that shows anything of a private repository is not cached", async () => {
    const { shelf: { head, path, raw }, api } = setUp(true);
    for (
      const one of [
        path(""),
        path("/activity"),
        path("/remotes"),
        path("/issues"),
        path("/patches"),
        path("/commits/abc"),
        path(`/blob/${head}/absent`),
        raw(`/${head}/absent`),
        "/projects?perPage=100",
      ]
    ) {
      assert.equal((await api.get(one, OWNER)).headers.get("cache-control"), PRIVATE, one);
    }
  });

  it("reveals nothing about a private repository to strangers", async () => {
    const { world, shelf, api } = setUp(true);
    const [, path] = paths(shelf)[1]!;
    const { headers } = await api.get(path, OWNER);
    const asked = ["*", headers.get("etag")!];
    const ask = () =>
      Promise.all(asked.map((tag) => api.get(path, STRANGER, { headers: { "if-none-match": tag } })));
    const hidden = await ask();
    world.storage.delete(shelf.repository.rid);
    for (const [i, absent] of (await ask()).entries()) {
      assert.deepEqual([hidden[i]!.status, [...hidden[i]!.headers]], [absent.status, [...absent.headers]]);
    }
  });

  it("on activity is kept as specified (4.2.5)", async () => {
    const { shelf: { path }, api } = setUp();
    const { headers } = await api.get(path("/activity"));
    assert.equal(headers.get("cache-control"), "public, max-age=3600, must-revalidate");
  });
});

describe("an answer that moves with references", () => {
  it("has another tag when what it shows has changed, and the old one again when it is as before", async () => {
    const { shelf: { repository, root, head, path }, api } = setUp();
    const kinds = [path(`/tree/${head}/`), path(`/commits/${root}`), path(`/commits?parent=${root}`)];
    const ask = () => Promise.all(kinds.map((kind) => api.get(kind)));
    const before = await ask();
    repository.setRef("refs/heads/side", root);
    const after = await ask();
    assert.deepEqual(after[0]?.body.stats.branches, before[0]?.body.stats.branches + 1);
    assert.deepEqual(after[1]?.body.branches, ["refs/heads/side"]);
    assert.deepEqual(after[2]?.body.commits[0].branches, ["refs/heads/side"]);
    for (const [i, kind] of kinds.entries()) {
      const etag = before[i]!.headers.get("etag")!;
      assert.notEqual(after[i]!.headers.get("etag"), etag);
      assert.equal((await api.get(kind, STRANGER, { headers: { "if-none-match": etag } })).status, 200);
    }
    repository.deleteRef("refs/heads/side");
    assert.deepEqual((await ask()).map(({ body }) => body), before.map(({ body }) => body));
  });

  it("keeps its tag when what it shows is the same: a folder counts branches alone", async () => {
    const { shelf: { repository, root, head, path }, api } = setUp();
    const { headers } = await api.get(path(`/tree/${head}/`));
    repository.setRef("refs/heads/master", root);
    assert.equal((await api.get(path(`/tree/${head}/`))).headers.get("etag"), headers.get("etag"));
  });

  it("follows the head where the path names it", async () => {
    const { shelf: { repository, root, path, raw }, api } = setUp();
    for (const [kind, then] of [[raw("/head/README"), 404], [path("/commits?perPage=0"), 200]] as const) {
      setHead(repository, putCommit(repository, { folder: FOLDER, message: kind }));
      const { headers } = await api.get(kind);
      setHead(repository, root);
      const init = { headers: { "if-none-match": headers.get("etag")! } };
      assert.equal((await api.get(kind, STRANGER, init)).status, then);
    }
  });

  it("is not kept while a commit's diff cannot be shown", async () => {
    const { shelf: { repository, path }, api } = setUp();
    const entry = [...new TextEncoder().encode("100644 gone\0"), ...new Uint8Array(20).fill(0xee)];
    const tree = repository.put("tree", Uint8Array.from(entry));
    const person = "A <a@b> 1 +0000";
    const text = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nx\n`;
    const commit = repository.put("commit", new TextEncoder().encode(text));
    const { status, body, headers } = await api.get(path(`/commits?parent=${commit}`));
    assert.deepEqual([status, body.commits[0].diff], [200, null]);
    assert.deepEqual([headers.get("etag"), headers.get("cache-control")], [null, null]);
  });

  it("is not kept when references move while it is made", async () => {
    const world = createWorld();
    const { repository, head, path } = createShelf(world, "shelf");
    let moves = 0;
    const storage = watch(world.storage, () => {
      if (moves++ === 0) repository.setRef("refs/heads/side", head);
    });
    const api = createTestApi({ storage }, world);
    await api.get(path("/issues"));
    moves = 0;
    repository.deleteRef("refs/heads/side");
    const first = await api.get(path(`/tree/${head}/docs`));
    assert.ok(moves > 0);
    assert.deepEqual([first.status, first.headers.get("etag")], [200, null]);
    const second = await api.get(path(`/tree/${head}/docs`));
    assert.equal(second.body.stats.branches, 2);
    assert.notEqual(second.headers.get("etag"), null);
  });
});

describe("what is remembered", () => {
  it("is answered without reading objects again", async () => {
    const world = createWorld();
    const shelf = createShelf(world, "shelf");
    let reads = 0;
    const { get } = createTestApi({ storage: watch(world.storage, () => void reads++) }, world);
    for (const [what, path] of paths(shelf)) {
      const first = await get(path);
      reads = 0;
      assert.deepEqual((await get(path)).body, first.body);
      assert.equal(reads, 0, what);
    }
  });

  it("is also what was sent in pieces, with the diffs in it, once its client has read it", async () => {
    const world = createWorld();
    const { repository, head, path } = createShelf(world, "shelf");
    const line = "a line that changes\n";
    const long = putCommit(repository, {
      folder: { long: line.repeat(2 * MIB / line.length) },
      parents: [head],
      message: "",
    });
    let reads = 0;
    const { get } = createTestApi({ storage: watch(world.storage, () => void reads++) }, world);
    for (const one of [path(`/commits/${long}`), path(`/diff/${head}/${long}`)]) {
      const first = await get(one);
      assert.equal(first.headers.get("content-length"), null);
      reads = 0;
      const again = await get(one);
      assert.ok(Number(again.headers.get("content-length")) > MIB);
      assert.deepEqual(again.body, first.body);
      assert.equal(reads, 0, one);
    }
    const page = await get(path(`/commits?parent=${long}&perPage=1`));
    assert.deepEqual(page.body.commits[0].diff, (await get(path(`/commits/${long}`))).body.diff);
  });

  it("is the same for every spelling of a request", async () => {
    const world = createWorld();
    const { root, head, blob, path, raw } = createShelf(world, "shelf");
    const capitals = (oid: Oid) => oid.toUpperCase();
    const spellings = [
      [
        path("/commits"),
        path(`/commits?parent=${head}`),
        path("/commits?perPage=30&page=0"),
      ],
      [
        path(`/commits?parent=${root}`),
        path(`/commits?parent=${capitals(root)}`),
        path(`/commits?parent=${root}&page=0`),
        path(`/commits?perPage=30&page=%2B00&parent=${root}`),
        path(`/commits?x=1&x=2&%70arent=${root}`),
      ],
      [
        path(`/commits?parent=${root}&since=5`),
        path(`/commits?since=%2B005&parent=${root}`),
      ],
      [path(`/commits/${root}`), path(`/commits/${capitals(root)}?x=1`)],
      [path(`/diff/${head}/${head}`), path(`/diff/${capitals(head)}/${head}?x=1`)],
      [
        path(`/tree/${head}/docs`),
        path(`/tree/${capitals(head)}/%64ocs?x=1`),
      ],
      [path(`/blob/${head}/docs/index.html`), path(`/blob/${head}/docs%2Findex.html?x=1`)],
      [path(`/readme/${head}`), path(`/readme/${capitals(head)}?x=1`)],
      [raw(`/${head}/docs/index.html`), raw(`/${capitals(head)}/docs/%69ndex.html?x=1`)],
      [raw("/head/README"), raw("/head/%52EADME?x=1")],
      [raw(`/blobs/${blob}`), raw(`/blobs/${capitals(blob)}?mime=no+type`), raw(`/blobs/${blob}?x=1`)],
    ];
    let reads = 0;
    const { get } = createTestApi({ storage: watch(world.storage, () => void reads++) }, world);
    const tags = new Set<string>();
    for (const [plain = "", ...others] of spellings) {
      const first = await get(plain);
      assert.equal(first.status, 200, plain);
      tags.add(first.headers.get("etag") ?? "");
      for (const other of others) {
        reads = 0;
        const answer = await get(other);
        assert.deepEqual([answer.headers.get("etag"), answer.body], [first.headers.get("etag"), first.body]);
        assert.equal(reads, 0, other);
      }
    }
    assert.equal(tags.size, spellings.length);
  });

  it("is limited in bytes: the newest answer is found, and some others are made again", async () => {
    const world = createWorld();
    const { repository, raw } = createShelf(world, "shelf");
    const blobs = [1, 2, 3, 4, 5].map((value) => putBlob(repository, new Uint8Array(10_000).fill(value)));
    let reads = 0;
    const storage = watch(world.storage, () => void reads++);
    const { get } = createTestApi({ storage, memory: { answersBytes: 50_000 } }, world);
    for (const blob of blobs) await get(raw(`/blobs/${blob}`));
    reads = 0;
    await get(raw(`/blobs/${blobs[4]}`));
    assert.equal(reads, 0);
    for (const blob of blobs) await get(raw(`/blobs/${blob}`));
    assert.ok(reads > 0);
  });

  it("is found, long or short, with its header fields", async () => {
    const world = createWorld();
    const { repository, raw } = createShelf(world, "shelf");
    const line = "a line of text\n";
    const blobs = [10, 100_000].map((lines) =>
      putBlob(repository, new TextEncoder().encode(line.repeat(lines)))
    );
    let reads = 0;
    const storage = watch(world.storage, () => void reads++);
    const { get } = createTestApi({ storage }, world);
    for (const blob of blobs) {
      const first = await get(raw(`/blobs/${blob}`));
      reads = 0;
      const again = await get(raw(`/blobs/${blob}`));
      assert.deepEqual([again.status, again.body, [...again.headers]], [200, first.body, [...first.headers]]);
      const head = await get(raw(`/blobs/${blob}`), STRANGER, { method: "HEAD" });
      assert.deepEqual([head.status, head.body, [...head.headers]], [200, "", [...first.headers]]);
      for (const asked of [first.headers.get("etag")!, "*"]) {
        const same = await get(raw(`/blobs/${blob}`), STRANGER, { headers: { "if-none-match": asked } });
        assert.equal(same.status, 304);
      }
      assert.equal(reads, 0);
    }
  });

  it("is not shown to strangers when the repository becomes private", async () => {
    const { shelf, api } = setUp();
    for (const [, path] of paths(shelf)) await api.get(path);
    hide(shelf.repository);
    for (const [what, path] of paths(shelf)) {
      for (const init of [{}, { headers: { "if-none-match": "*" } }]) {
        assert.equal((await api.get(path, STRANGER, init)).status, 404, what);
      }
      const { status, headers } = await api.get(path, OWNER);
      assert.deepEqual([status, headers.get("cache-control")], [200, PRIVATE], what);
    }
  });

  it("is not shown when the repository is gone", async () => {
    const { world, shelf, api } = setUp();
    const tags: string[] = [];
    for (const [, path] of paths(shelf)) tags.push((await api.get(path)).headers.get("etag")!);
    world.storage.delete(shelf.repository.rid);
    for (const [i, [what, path]] of paths(shelf).entries()) {
      for (const init of [{}, { headers: { "if-none-match": tags[i]! } }]) {
        assert.equal((await api.get(path, OWNER, init)).status, 404, what);
      }
    }
  });

  it("belongs to one repository, one path and one type", async () => {
    const { world, shelf: { root, head, blob, path, raw }, api } = setUp();
    await api.get(path(`/blob/${head}/README`));
    await api.get(raw(`/${head}/README`));
    const empty = createRepository(world.storage, { name: "empty" });
    assert.equal((await api.get(`/projects/${empty.rid}/blob/${head}/README`)).status, 404);
    assert.equal((await api.get(`//raw/${empty.rid}/${head}/README`)).status, 404);
    assert.equal((await api.get(path(`/blob/${root}/README`))).status, 404);
    assert.equal((await api.get(path(`/blob/${head}/README%20`))).status, 404);
    assert.equal((await api.get(path(`/tree/${head}/README`))).status, 404);
    assert.equal((await api.get(path(`/blob/${head}/docs%2Findex.html`))).body.path, "docs/index.html");
    assert.equal((await api.get(path(`/blob/${head}/docs/index.html`))).body.path, "docs/index.html");
    const types = ["text/plain", "image/png", undefined].map(async (mime) =>
      (await api.get(raw(`/blobs/${blob}${mime === undefined ? "" : `?mime=${mime}`}`))).headers.get(
        "content-type",
      )
    );
    assert.deepEqual(await Promise.all(types), ["text/plain", "image/png", "application/octet-stream"]);
  });
});

/** A storage that tells when an object is read. */
function watch(storage: Storage, onRead: () => void): Storage {
  const watched = (repository: Repository): Repository => ({
    rid: repository.rid,
    ref: (name) => repository.ref(name),
    refs: (prefix) => repository.refs(prefix),
    header: (oid) => (onRead(), repository.header(oid)),
    object: (oid) => (onRead(), repository.object(oid)),
    objects: (oids) => (onRead(), repository.objects(oids)),
  });
  return {
    repositoryIds: () => storage.repositoryIds(),
    async repository(rid) {
      const repository = await storage.repository(rid);
      return repository && watched(repository);
    },
  };
}

/** Changes the identity document: from now on the repository belongs to its owner alone. */
function hide(repository: MemoryRepository): void {
  const doc = {
    delegates: [didOfNid(ALICE)],
    payload: { "xyz.radicle.project": { defaultBranch: "master", description: "", name: "shelf" } },
    threshold: 1,
    visibility: { type: "private" },
  };
  const folder = { embeds: { "radicle.json": JSON.stringify(doc) } };
  repository.setRef("refs/rad/id", putCommit(repository, { folder, message: "Hide the shelf\n" }));
}

describe("an answer that is to be made", () => {
  it("lets short requests pass that have come after it", async () => {
    const { shelf, api } = setUp();
    const order: string[] = [];
    const ask = async (name: string, path: string) => {
      assert.equal((await api.get(path)).status, 200);
      order.push(name);
    };
    const blob = shelf.path(`/blob/${shelf.head}/README`);
    await ask("kept", blob);
    await Promise.all([
      ask("made", shelf.path(`/tree/${shelf.head}/`)),
      ask("made", shelf.path(`/tree/${shelf.head}/docs`)),
      ask("made", shelf.path(`/readme/${shelf.head}`)),
      ask("kept", blob),
      ask("project", shelf.path("")),
    ]);
    assert.deepEqual(order.slice(-2), ["made", "made"], "the first one was alone when it came");
  });
});
