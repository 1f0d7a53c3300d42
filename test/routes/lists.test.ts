/** Lists that tell their size: links to other pages and total counts, in both dialects. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createWriter, ENTRY_SECONDS, putEntry, setTip } from "../cob/entries.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { type Answer, createTestApi, OWNER, STRANGER } from "../support/api.ts";
import { createRepository, createWorld, putCommit, setHead, START_SECONDS } from "../support/world.ts";

const alice = createWriter(0xff);

function openIssue(repository: MemoryRepository, title: string, timeSeconds: number): void {
  const id = putEntry(repository, {
    writer: alice,
    actions: [{ type: "comment", body: `About ${title}` }, { type: "edit", title }],
    resource: repository.ref("refs/rad/id")!.oid!,
    timeSeconds,
  });
  setTip(repository, alice.nid, id, id);
}

/** The relations of an answer's `Link`, with their references. */
function linksOf({ headers }: Answer): Record<string, string> {
  const links = (headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, reference, relation]) => [relation!, reference!]));
}

/** A world of five public projects with 5 commits and 5 issues in the first, and some private ones. */
function createLists() {
  const world = createWorld();
  const { hello, storage } = world;
  let head = world.commits[2];
  for (const i of [1, 2]) {
    const draft = { folder: {}, parents: [head], timeSeconds: START_SECONDS + 5000 * i, message: `${i}\n` };
    head = putCommit(hello, draft);
  }
  setHead(hello, head);
  for (let i = 0; i < 5; i++) openIssue(hello, `issue ${i}`, ENTRY_SECONDS + i);
  for (let i = 0; i < 8; i++) {
    const repository = createRepository(storage, { name: `more-${i}`, isPrivate: i % 2 === 0 });
    setHead(repository, putCommit(repository, { folder: {}, message: "One\n" }));
  }
  const rids = storage.repositoryIds() as readonly string[];
  return { world, head, rids, get: createTestApi({ api: "both" }, world).get };
}

const LISTS = ["/projects/RID/issues", "/repos/RID/issues", "/projects/RID/commits", "/repos/RID/commits"];

describe("Link", () => {
  for (const list of LISTS) {
    it(`leads through all pages of ${list}`, async () => {
      const { world, get } = createLists();
      const path = list.replace("RID", world.helloRid);
      const itemsOf = ({ body }: Answer): readonly unknown[] => body.commits ?? body;
      const whole = itemsOf(await get(path));
      assert.equal(whole.length, 5);
      const first = await get(`${path}?perPage=2`);
      const found = [...itemsOf(first)];
      let [links, pages] = [linksOf(first), 1];
      assert.equal(links["prev"], undefined);
      while (links["next"] !== undefined) {
        const { search } = new URL(links["next"], `http://localhost${path}`);
        const next = await get(path + search);
        found.push(...itemsOf(next));
        links = linksOf(next);
        assert.equal(new URLSearchParams(links["prev"]).get("page"), String(pages - 1));
        pages++;
      }
      assert.deepEqual([pages, found], [3, whole]);
    });
  }

  it("has the first, previous, next and last page, with what was asked for", async () => {
    const { world, get } = createLists();
    const path = `/projects/${world.helloRid}/issues`;
    const answer = await get(`${path}?perPage=2&page=1&state=all`);
    const query = (page: number) => `?state=all&perPage=2&page=${page}`;
    assert.deepEqual(linksOf(answer), { first: query(0), prev: query(0), next: query(2), last: query(2) });
    assert.equal(answer.headers.get("x-total-count"), "5");
    assert.deepEqual(linksOf(await get(`${path}?perPage=2&page=2&state=all`)), {
      first: query(0),
      prev: query(1),
      last: query(2),
    });
    const beyond = await get(`${path}?perPage=2&page=9&state=all`);
    assert.deepEqual(linksOf(beyond), { first: query(0), prev: query(2), last: query(2) });
    const today = await get(`/repos/${world.helloRid}/issues?status=closed`);
    const none = "?status=closed&perPage=10&page=0";
    assert.deepEqual(linksOf(today), { first: none, last: none });
    assert.equal(today.headers.get("x-total-count"), "0");
  });

  it("is the same below a base path, because references are relative", async () => {
    const { world } = createLists();
    const { get } = createTestApi({ basePath: "/radicle" }, world);
    const { headers } = await get(`//radicle/api/v1/projects/${world.helloRid}/issues?perPage=4`);
    assert.match(headers.get("link")!, /^<\?state=open&perPage=4&page=0>; rel="first", /);
  });

  it("says nothing of pages without items, and stays in range", async () => {
    const { world, get } = createLists();
    const path = `/projects/${world.helloRid}/issues`;
    const none = await get(`${path}?perPage=0`);
    assert.deepEqual([none.headers.get("link"), none.headers.get("x-total-count")], [null, "5"]);
    for (const query of ["?page=18446744073709551615", "?perPage=18446744073709551615"]) {
      for (const reference of Object.values(linksOf(await get(path + query)))) {
        assert.equal((await get(path + reference)).status, 200, reference);
      }
    }
  });

  it("of a history names its first commit, so that pages fit together while the branch moves", async () => {
    const { world, head, get } = createLists();
    for (const path of [`/projects/${world.helloRid}/commits`, `/repos/${world.helloRid}/commits`]) {
      setHead(world.hello, head);
      for (const start of ["?perPage=2", "?parent=master&perPage=2"]) {
        const { next } = linksOf(await get(path + start));
        assert.equal(next, `?parent=${head}&perPage=2&page=1`);
        const idsOf = async () => {
          const { body } = await get(path + next);
          return (body.commits ?? body).map((item: { id?: string; commit?: { id: string } }) =>
            item.id ?? item.commit?.id
          );
        };
        const before = await idsOf();
        setHead(world.hello, putCommit(world.hello, { folder: {}, parents: [head], message: "New\n" }));
        assert.deepEqual(await idsOf(), before);
        setHead(world.hello, head);
      }
    }
  });

  it("of a history between two times is right, whatever is counted", async () => {
    const { world, get } = createLists();
    for (const dialect of ["projects", "repos"]) {
      const path = `/${dialect}/${world.helloRid}/commits`;
      const since = START_SECONDS + 1000;
      const pageAt = async (page: number, perPage: number) => {
        const answer = await get(`${path}?since=${since}&perPage=${perPage}&page=${page}`);
        return [Object.keys(linksOf(answer)).join(), answer.headers.get("x-total-count")];
      };
      assert.deepEqual(await pageAt(0, 3), ["first,next", null]);
      assert.deepEqual(await pageAt(1, 3), ["first,prev,last", "4"]);
      assert.deepEqual(await pageAt(0, 4), ["first,last", "4"]);
      assert.deepEqual(await pageAt(7, 4), ["first,prev", null]);
      const all = await get(`${path}?since=${since}`);
      assert.deepEqual(Object.keys(linksOf(all)), ["first"]);
    }
  });

  it("of repositories counts the ones that the client may see, and reveals nothing about others", async () => {
    const { get } = createLists();
    for (const path of ["/projects?show=all", "/repos?show=all"]) {
      const seen = async (client: typeof OWNER, query: string) => {
        const answer = await get(`${path}&${query}`, client);
        const relations = Object.keys(linksOf(answer)).join();
        return [answer.body.length, relations, answer.headers.get("x-total-count")];
      };
      assert.deepEqual(await seen(STRANGER, "perPage=5"), [5, "first,last", "5"]);
      assert.deepEqual(await seen(OWNER, "perPage=5"), [5, "first,next", null]);
      assert.deepEqual(await seen(STRANGER, "perPage=4"), [4, "first,next", null]);
      assert.deepEqual(await seen(STRANGER, "perPage=4&page=1"), [1, "first,prev,last", "5"]);
      assert.deepEqual(await seen(OWNER, "perPage=10"), [10, "first,last", "10"]);
    }
    for (const path of ["/repos?show=all&sort=activity&perPage=2", "/repos/search?perPage=2"]) {
      for (const [client, total] of [[STRANGER, "5"], [OWNER, "10"]] as const) {
        assert.equal((await get(path, client)).headers.get("x-total-count"), total, path);
      }
    }
  });
});

describe("lists of issues and patches", () => {
  const bob = createWriter(0xfe);

  function createFiltered() {
    const world = createWorld();
    const opened = [
      ["Broken link", ["bug", "docs"], [bob], alice],
      ["BROKEN mirror", [], [], bob],
      ["New färm", [], [alice, bob], alice],
      ["Closed and broken", ["bug"], [], alice],
    ] as const;
    const [base, , oid] = world.commits;
    for (const [i, [title, labels, assignees, writer]] of opened.entries()) {
      for (const kind of ["issue", "patch"] as const) {
        const isPatch = kind === "patch";
        const first = isPatch
          ? [{ type: "revision", description: "", base, oid }, { type: "edit", title, target: "delegates" }]
          : [{ type: "comment", body: title }, { type: "edit", title }];
        const state = isPatch ? { status: "archived" } : { status: "closed", reason: "other" };
        const nids = assignees.map(({ nid }) => `did:key:${nid}`);
        const id = putEntry(world.hello, {
          writer,
          type: `xyz.radicle.${kind}`,
          actions: [
            ...first,
            ...(labels.length > 0 ? [{ type: "label", labels }] : []),
            ...(nids.length > 0 ? [{ type: "assign", assignees: nids }] : []),
            ...(title.startsWith("Closed") ? [{ type: "lifecycle", state }] : []),
          ],
          resource: world.hello.ref("refs/rad/id")!.oid!,
          ...(isPatch && { related: [base, oid].sort() }),
          timeSeconds: ENTRY_SECONDS - i,
        });
        setTip(world.hello, writer.nid, id, id, `xyz.radicle.${kind}`);
      }
    }
    return createTestApi({ api: "both" }, world);
  }

  const cases: [query: string, found: number[]][] = [
    ["q=broken", [0, 1]],
    ["q=F%C3%84RM", [2]],
    ["q=", [0, 1, 2]],
    ["label=bug", [0]],
    ["label=bug&STATE=all", [0, 3]],
    ["label=BUG", []],
    [`assignee=${bob.nid}`, [0, 2]],
    [`assignee=did:key:${alice.nid}`, [2]],
    [`author=${alice.nid}`, [0, 2]],
    [`author=did:key:${bob.nid}`, [1]],
    [`q=broken&label=docs&author=${alice.nid}`, [0]],
    ["q=broken&STATE=all", [0, 1, 3]],
    [`author=${createWriter(7).nid}`, []],
  ];
  for (const list of ["issues", "patches"]) {
    it(`${list} are narrowed by title, label, assignee and author, and counted so`, async () => {
      const { world, get } = createFiltered();
      for (const [dialect, state] of [["projects", "state"], ["repos", "status"]]) {
        const path = `/${dialect}/${world.helloRid}/${list}`;
        const titles = (await get(`${path}?${state}=all`)).body.map(({ title }: { title: string }) => title);
        assert.equal(titles.length, 4);
        for (const [query, found] of cases) {
          const answer = await get(`${path}?${query.replace("STATE", state!)}`);
          assert.deepEqual(
            answer.body.map(({ title }: { title: string }) => titles.indexOf(title)),
            found,
            query,
          );
          assert.equal(answer.headers.get("x-total-count"), String(found.length));
        }
        const first = await get(`${path}?q=Broken&perPage=1`);
        const next = await get(path + linksOf(first)["next"]);
        assert.deepEqual(next.body.map(({ title }: { title: string }) => title), ["BROKEN mirror"]);
      }
    });

    it(`${list} are refused for values that cannot be`, async () => {
      const { world, get } = createFiltered();
      const bad = [
        "label=",
        "assignee=",
        "assignee=bob",
        "author=did:web:x",
        `q=${"x".repeat(257)}`,
        "q=a&q=b",
      ];
      for (const dialect of ["projects", "repos"]) {
        for (const query of bad) {
          const { status, body } = await get(`/${dialect}/${world.helloRid}/${list}?${query}`);
          assert.equal(status, 400, query);
          assert.match(body.error, /^(Cannot read q|Q)uery parameter "\w+"/);
        }
      }
    });
  }
});

describe("X-Total-Count", () => {
  it("is there for lists that are always whole", async () => {
    const { world, get } = createLists();
    for (const dialect of ["projects", "repos"]) {
      const { headers, body } = await get(`/${dialect}/${world.helloRid}/remotes`);
      assert.equal(headers.get("x-total-count"), String(body.length));
    }
    for (const path of ["/node/policies/repos", `/nodes/${alice.nid}/inventory`]) {
      assert.equal((await get(path)).headers.get("x-total-count"), "0");
    }
    assert.equal((await get(`/repos/${world.helloRid}/jobs/HEAD`)).headers.get("x-total-count"), "0");
  });
});

describe("pages of other origins", () => {
  it("may read the fields of lists, and when to ask again", async () => {
    const { world } = createLists();
    const { api, get } = createTestApi({}, world);
    const exposed = async (path: string) =>
      (await get(path)).headers.get("access-control-expose-headers")?.split(", ");
    const fields = [
      "accept-ranges",
      "content-range",
      "link",
      "retry-after",
      "x-total-count",
      "xylem-confirmed",
      "xylem-consistency-token",
      "xylem-published",
      "xylem-publisher-seen",
    ];
    assert.deepEqual(await exposed("/projects"), fields);
    assert.deepEqual(await exposed("/projects/nope"), fields);
    await api.close();
    assert.deepEqual([await exposed("/projects"), (await get("/projects")).status], [fields, 503]);
  });
});
