/** Search: what is found, by whom, and when. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_SEARCHES, MAX_SEARCHES_OF_CLIENT } from "../../../extensions/search/search.ts";
import { MAX_OBJECT_BYTES } from "../../../extensions/search/texts.ts";
import { type SearchIndex, SearchIndexError } from "../../../extensions/search/search_index.ts";
import { type ChangeApi, createChangeApi } from "../../routes/change_api.ts";
import { OWNER, STRANGER, type TestOptions } from "../../support/api.ts";
import { createTestIndex } from "../../support/search.ts";
import { createWorld, putCommit, type World } from "../../support/world.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

interface Found {
  readonly type: string;
  readonly rid: string;
  readonly title: string;
  readonly id?: string;
  readonly status?: string;
  readonly excerpt: string;
}

async function searchApi(
  options: TestOptions = {},
  world: World = createWorld(),
): Promise<ChangeApi> {
  return await createChangeApi({ searchIndex: createTestIndex(), ...options }, world);
}

/** What is found. */
async function find(
  { get }: Pick<ChangeApi, "get">,
  query: string,
  client = STRANGER,
): Promise<readonly Found[]> {
  const { status, body } = await get(`/search?perPage=100&q=${encodeURIComponent(query)}`, client);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Searches until the titles of what is found are as expected. */
async function findUntil(
  api: ChangeApi,
  query: string,
  titles: readonly string[],
  client = STRANGER,
): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS;;) {
    const found = (await find(api, query, client)).map(({ title }) => title);
    if (JSON.stringify(found) === JSON.stringify(titles)) return;
    assert.ok(Date.now() < deadline, `found ${found} for ${query}, expected ${titles}`);
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

/** Opens an issue and returns its id. */
async function open(
  api: ChangeApi,
  title: string,
  description: string,
  rid = api.world.helloRid,
): Promise<string> {
  const { status, body } = await api.get(`/projects/${rid}/issues`, OWNER, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${api.token}` },
    body: JSON.stringify({ title, description, labels: [], assignees: [], embeds: [] }),
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

/** Gives a repository another visibility. */
function setPrivate(repository: World["hello"], isPrivate: boolean): void {
  const text = new TextDecoder().decode(docOf(repository));
  const { visibility: _, ...doc } = JSON.parse(text);
  const folder = {
    embeds: {
      "radicle.json": JSON.stringify({ ...doc, ...(isPrivate && { visibility: { type: "private" } }) }),
    },
  };
  repository.setRef("refs/rad/id", putCommit(repository, { folder, message: "Change visibility\n" }));
}

function docOf(repository: World["hello"]): Uint8Array {
  const commit = repository.ref("refs/rad/id")!.oid!;
  const tree = new TextDecoder().decode(repository.object(commit)!.bytes).slice(5, 45);
  const entry = (oid: string) => {
    const { bytes } = repository.object(oid as never)!;
    return bytes.slice(bytes.indexOf(0) + 1, bytes.indexOf(0) + 21).toHex();
  };
  return repository.object(entry(entry(tree)) as never)!.bytes;
}

describe("search", () => {
  it("finds repositories, issues and patches by all words, those with the words in the title first", async () => {
    const api = await searchApi();
    await open(api, "Leaves fall", "In autumn, the wind is cold.");
    await open(api, "Wind in autumn", "It is");
    assert.deepEqual((await find(api, "autumn wind")).map(({ title }) => title), [
      "Wind in autumn",
      "Leaves fall",
    ]);
    assert.deepEqual(await find(api, "autumn winter"), []);
    const [repository] = await find(api, "hello wor");
    assert.deepEqual(repository, {
      type: "repository",
      rid: api.world.helloRid,
      name: "hello-world",
      title: "hello-world",
      excerpt: "Rad repository for tests",
    });
    const patch = await api.send("POST", "/patches", {
      title: "Mend the gate",
      description: "Its hinges are rusty",
      oid: api.world.commits[2],
      target: api.world.commits[1],
      labels: [],
    });
    await findUntil(api, "HINGES", ["Mend the gate"]);
    const [found] = await find(api, "HINGES");
    assert.deepEqual([found?.type, found?.id, found?.status, found?.excerpt], [
      "patch",
      patch.body.id,
      "open",
      "Its hinges are rusty",
    ]);
    await api.api.close();
  });

  it("finds words whatever their case and diacritics, and parts of texts without spaces", async () => {
    const api = await searchApi();
    await open(api, "Über Ärger", "naïve façade, Ελλάδα, Ёж в России, 日本語の全文検索");
    for (
      const query of [
        "uber",
        "ÄRGER",
        "naive",
        "facade",
        "ελλαδα",
        "РОССИИ",
        "еж",
        "文検",
        "本語の",
        "Über ärg",
      ]
    ) {
      assert.equal((await find(api, query)).length, 1, query);
    }
    for (const query of ["語本", "検文", "berg"]) assert.deepEqual(await find(api, query), [], query);
    await api.api.close();
  });

  it("follows edits, closing and comments, and finds nothing that is redacted", async () => {
    const api = await searchApi();
    const id = await open(api, "First title", "A plain description");
    assert.equal((await find(api, "first")).length, 1);
    await api.send("PATCH", `/issues/${id}`, { type: "edit", title: "Second title" });
    const comment = await api.send("PATCH", `/issues/${id}`, {
      type: "comment",
      body: "platypus",
      replyTo: id,
    });
    await findUntil(api, "first", []);
    await findUntil(api, "second", ["Second title"]);
    assert.equal((await find(api, "platypus"))[0]?.excerpt.includes("platypus"), true);
    await api.send("PATCH", `/issues/${id}`, { type: "comment.redact", id: comment.body.id });
    await findUntil(api, "platypus", []);
    await api.send("PATCH", `/issues/${id}`, {
      type: "lifecycle",
      state: { status: "closed", reason: "solved" },
    });
    for (const deadline = Date.now() + PATIENCE_MS; (await find(api, "second"))[0]?.status !== "closed";) {
      assert.ok(Date.now() < deadline);
    }
    await api.api.close();
  });

  it("finds what other programs have written, and nothing of what they have removed", async () => {
    const api = await searchApi();
    const id = await open(api, "Written elsewhere", "");
    const [ref] = api.world.hello.refs("refs/namespaces/*/refs/cobs/xyz.radicle.issue/");
    api.world.hello.deleteRef(ref!.name);
    await findUntil(api, "elsewhere", []);
    api.world.hello.setRef(ref!.name, ref!.oid!);
    await findUntil(api, "elsewhere", ["Written elsewhere"]);
    assert.equal((await find(api, "elsewhere"))[0]?.id, id);
    api.world.storage.delete(api.world.helloRid);
    assert.deepEqual(await find(api, "elsewhere", OWNER), []);
    await api.api.close();
  });

  it("pages, with 10 on a page unless asked, and 100 at most", async () => {
    const api = await searchApi();
    for (let i = 0; i < 12; i++) await open(api, "Same title", `number ${i}`);
    const ids = async (query: string) => {
      const { body } = await api.get(`/search?q=same${query}`);
      return body.map(({ id }: Found) => id);
    };
    await findUntil(api, "same", Array(12).fill("Same title"));
    const all = await ids("&perPage=1000");
    const { headers } = await api.get("/search?q=same&page=1&perPage=5");
    assert.equal(headers.get("x-total-count"), "12");
    assert.match(headers.get("link") ?? "", /<\?q=same&perPage=5&page=2>; rel="next"/);
    // Equally good ones are in the order of their ids.
    assert.deepEqual(all, [...all].sort());
    assert.deepEqual(await ids(""), all.slice(0, 10));
    assert.deepEqual(await ids("&page=1"), all.slice(10));
    assert.deepEqual(await ids("&page=2&perPage=5"), all.slice(10));
    assert.deepEqual(await ids("&page=9"), []);
    assert.deepEqual(await ids("&perPage=0"), []);
    assert.deepEqual(await ids("&page=18446744073709551615&perPage=18446744073709551615"), []);
    await api.api.close();
  });

  it("refuses long queries, and answers 501 where the host brings no index", async () => {
    const api = await searchApi();
    assert.equal((await api.get(`/search?q=${"x".repeat(256)}`)).status, 200);
    assert.equal((await api.get(`/search?q=${"x".repeat(257)}`)).status, 400);
    assert.deepEqual((await api.get("/search")).body, []);
    const without = await createChangeApi();
    const { status, body } = await without.get("/search?q=x");
    assert.deepEqual([status, body.error], [501, "This host has no search"]);
    assert.equal((await api.get("/search?q=x", STRANGER, { method: "POST" })).status, 405);
    await api.api.close();
  });

  it("is announced to today's clients where there is an index, and is not a route of their dialect", async () => {
    for (
      const [api, searchIndex, expected] of [
        ["both", createTestIndex(), [true, 200]],
        ["both", undefined, [false, 501]],
        ["today", createTestIndex(), [false, 404]],
      ] as const
    ) {
      const made = await createChangeApi({ api, ...(searchIndex && { searchIndex }) });
      const { body } = await made.get("/info");
      assert.deepEqual([body.httpd.searchAvailable, (await made.get("/search?q=x")).status], expected);
      await made.api.close();
    }
  });

  it("indexes the beginning of a long text, and of texts without spaces", async () => {
    const api = await searchApi();
    await open(api, "Long", `alpha ${"filler ".repeat(MAX_OBJECT_BYTES / 7)} omega`);
    await open(api, "Wide", "漢".repeat(MAX_OBJECT_BYTES));
    assert.deepEqual((await find(api, "alpha")).map(({ title }) => title), ["Long"]);
    assert.deepEqual(await find(api, "omega"), []);
    assert.deepEqual((await find(api, "漢漢漢")).map(({ title }) => title), ["Wide"]);
    await api.api.close();
  });
});

describe("a repository that cannot be read", () => {
  it("is not found, and the others are", async () => {
    const world = createWorld();
    const { storage, hello, secretRid } = world;
    let [isBroken, isPartial] = [false, false];
    const fail = () => {
      throw new Error("an unforeseen fault");
    };
    const refs = (prefix: string) => isPartial && prefix.endsWith("patch/") ? fail() : hello.refs(prefix);
    const repository = (rid: typeof secretRid) =>
      rid !== hello.rid || !isBroken && !isPartial
        ? storage.repository(rid)
        : { ...hello, refs: isBroken ? fail : refs };
    const api = await searchApi({
      storage: { repositoryIds: () => storage.repositoryIds(), repository },
    }, world);
    await open(api, "Found at first", "");
    await open(api, "Private thing", "", secretRid);
    await findUntil(api, "found", ["Found at first"]);
    for (const set of [() => isPartial = true, () => isBroken = true]) {
      set();
      await findUntil(api, "found", []);
      await findUntil(api, "thing", ["Private thing"], OWNER);
    }
    [isBroken, isPartial] = [false, false];
    await findUntil(api, "found", ["Found at first"]);
    await api.api.close();
  });
});

describe("search of private repositories", () => {
  it("finds them for the owner alone", async () => {
    const api = await searchApi();
    await open(api, "Hidden treasure", "under the oak", api.world.secretRid);
    await findUntil(api, "treasure", ["Hidden treasure"], OWNER);
    assert.deepEqual(await find(api, "treasure", STRANGER), []);
    assert.deepEqual(await find(api, "private", STRANGER), []);
    assert.equal((await find(api, "private", OWNER))[0]?.rid, api.world.secretRid);
    const foreign = { headers: { origin: "https://evil.example" } };
    assert.deepEqual((await api.get("/search?q=treasure", OWNER, foreign)).body, []);
    assert.equal(
      (await api.get("/search?q=treasure", OWNER)).headers.get("cache-control"),
      "private, no-store",
    );
    await api.api.close();
  });

  it("shows nothing of one that has become private, whatever the index still has", async () => {
    const index = createTestIndex();
    let isStuck = false;
    // An index that is never brought up to date.
    const stuck: SearchIndex = {
      ...index,
      states: (part) => isStuck ? Promise.reject(new Error("stuck")) : index.states(part),
    };
    const api = await searchApi({ searchIndex: stuck });
    await open(api, "Open secret", "everybody knows");
    await findUntil(api, "secret", ["Open secret"]);
    isStuck = true;
    setPrivate(api.world.hello, true);
    assert.deepEqual(await find(api, "secret"), []);
    assert.deepEqual((await find(api, "secret", OWNER)).map(({ title }) => title), ["Open secret"]);
    isStuck = false;
    for (const deadline = Date.now() + PATIENCE_MS; (await index.states("public")).size > 0;) {
      assert.ok(Date.now() < deadline);
      await find(api, "secret");
    }
    await findUntil(api, "secret", ["Open secret"], OWNER);
    setPrivate(api.world.hello, false);
    await findUntil(api, "secret", ["Open secret"]);
    for (
      const deadline = Date.now() + PATIENCE_MS;
      (await index.states("private")).has(api.world.helloRid);
    ) {
      assert.ok(Date.now() < deadline);
      await find(api, "secret");
    }
    await api.api.close();
  });
});

describe("a private part that is behind", () => {
  it("changes nothing that strangers get", async () => {
    const index = createTestIndex();
    let isStuck = false;
    const ending = Promise.withResolvers<never>();
    ending.promise.catch(() => {});
    const stuck: SearchIndex = {
      ...index,
      states: (part) => isStuck && part === "private" ? ending.promise : index.states(part),
    };
    const api = await searchApi({ searchIndex: stuck });
    const search = async (client = STRANGER) => {
      const { body, headers } = await api.get("/search?q=hello", client);
      return [body.length, headers.get("x-total-count")];
    };
    assert.deepEqual([await search(), await search(OWNER)], [[1, "1"], [2, "2"]]);
    isStuck = true;
    await open(api, "Hidden hello", "", api.world.secretRid);
    assert.deepEqual(await search(), [1, "1"]);
    assert.deepEqual(await search(OWNER), [2, null]);
    assert.deepEqual(await search(), [1, "1"]);
    ending.reject(new Error("closed"));
    await api.api.close();
  });
});

describe("many searches", () => {
  it("are refused beyond the limits, first the searches of one peer", async () => {
    const index = createTestIndex();
    const held = Promise.withResolvers<void>();
    const slow: SearchIndex = {
      ...index,
      scan: async (scan) => {
        await held.promise;
        return await index.scan(scan);
      },
    };
    const api = await searchApi({ searchIndex: slow });
    const search = (client = OWNER) => api.get("/search?q=hello", client).then(({ status }) => status);
    const ofPeer = Array.from({ length: MAX_SEARCHES_OF_CLIENT }, () => search(STRANGER));
    assert.equal(await search(STRANGER), 503);
    const others = Array.from({ length: MAX_SEARCHES - MAX_SEARCHES_OF_CLIENT }, () => search());
    assert.equal(await search(), 503);
    held.resolve();
    assert.deepEqual(new Set(await Promise.all([...ofPeer, ...others])), new Set([200]));
    assert.equal(await search(STRANGER), 200);
    await api.api.close();
  });
});

describe("an index that is behind", () => {
  it("does not count what is found, and its update ends when the service does", async () => {
    const index = createTestIndex();
    let isFailing = false;
    const failing: SearchIndex = {
      ...index,
      states: (part) => isFailing ? Promise.reject(new Error("fails")) : index.states(part),
    };
    const api = await searchApi({ searchIndex: failing });
    assert.equal((await api.get("/search?q=hello")).headers.get("x-total-count"), "1");
    isFailing = true;
    await open(api, "Hello again", "");
    const { body, headers } = await api.get("/search?q=hello");
    assert.deepEqual([body.length, headers.get("x-total-count")], [1, null]);
    isFailing = false;
    await findUntil(api, "hello", ["Hello again", "hello-world"]);
    const pending = Array.from({ length: 3 }, (_, i) => api.get(`/search?q=x${i}`));
    await api.api.close();
    for (const { status } of await Promise.all(pending)) assert.ok([200, 503].includes(status));
  });
});

describe("a search index that has lost texts", () => {
  it("has them again before a search is answered, or says that it cannot be used", async () => {
    const index = createTestIndex();
    let losses = 0;
    const damaged: SearchIndex = {
      ...index,
      scan: async (scan) => {
        if (losses === 0) return await index.scan(scan);
        losses--;
        for (const rid of (await index.states("public")).keys()) await index.remove("public", rid);
        throw new SearchIndexError("lost", "damaged");
      },
    };
    const api = await searchApi({ searchIndex: damaged });
    const search = async () => {
      const { status, body, headers } = await api.get("/search?q=hello");
      return [status, body.length, headers.get("x-total-count")];
    };
    assert.deepEqual(await search(), [200, 1, "1"]);
    losses = 1;
    assert.deepEqual(await search(), [200, 1, "1"]);
    losses = 2;
    assert.equal((await search())[0], 503);
    assert.deepEqual(await search(), [200, 1, "1"]);
    await api.api.close();
  });
});

describe("a search index that cannot be used", () => {
  it("makes searches fail with 503, and nothing else", async () => {
    const index = createTestIndex();
    const api = await searchApi({ searchIndex: index });
    index.close();
    const { status, headers } = await api.get("/search?q=hello");
    assert.deepEqual([status, headers.get("retry-after")], [503, "2"]);
    assert.equal((await api.get("/projects")).status, 200);
    assert.equal(api.log.filter((line) => line.includes("search index")).length, 1);
    await api.api.close();
  });
});
