/** The page for browsers: who gets it, under which policy, and where it is absent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAliases } from "../../../src/routes/aliases.ts";
import { PAGE_FILES } from "../../../extensions/page/carried/files.js";
import { createTestApi, OWNER, STRANGER } from "../../support/api.ts";

/** The `Accept` of Chromium and Firefox for pages. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const PAGE = "text/html; charset=utf-8";
const JSON_TYPE = "application/json";

const asBrowser = { headers: { accept: BROWSER } };

/** Names of files in the text of the page. */
function filesIn(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="page\/([^"]+)"/g)].map((match) => match[1]!);
}

/** The values of a policy by the names of its directives. */
function directivesOf({ headers }: { readonly headers: Headers }): ReadonlyMap<string, string> {
  const parts = headers.get("content-security-policy")!.split("; ");
  return new Map(parts.map((part) => {
    const [name = "", ...values] = part.split(" ");
    return [name, values.join(" ")];
  }));
}

/** The hash of a text as policies name it. */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

/** Longest policy, in bytes: proxies take 4 KiB for all header fields of an answer by default. */
const MAX_POLICY_BYTES = 3072;

describe("the root of a service with the page", () => {
  const { get } = createTestApi({ page: true });

  for (
    const [accept, type] of [
      [BROWSER, PAGE],
      ["text/html", PAGE],
      ["TEXT/HTML;level=1", PAGE],
      ["text/html, application/json", PAGE],
      ["application/json;q=0.5, text/html;q=0.5", PAGE],
      ["*/*", JSON_TYPE],
      ["text/*", JSON_TYPE],
      ["application/json, text/plain, */*", JSON_TYPE],
      ["application/json, text/html;q=0.9", JSON_TYPE],
      ["text/html;q=0", JSON_TYPE],
      ["text/html; Q=0.000, */*", JSON_TYPE],
      ["text/htmlx", JSON_TYPE],
      ["", JSON_TYPE],
    ] as const
  ) {
    it(`answers ${type} to ${accept || "an empty Accept"}`, async () => {
      const { status, headers } = await get("//", STRANGER, { headers: { accept } });
      assert.deepEqual([status, headers.get("content-type")], [200, type]);
      assert.match(headers.get("vary")!, /^accept,/);
    });
  }

  it("answers JSON without Accept, and to browsers everywhere else", async () => {
    assert.equal((await get("//")).body.path, "/");
    for (const path of ["//api", "//api/", "", "/", "/projects"]) {
      assert.equal((await get(path, OWNER, asBrowser)).headers.get("content-type"), JSON_TYPE, path);
    }
  });

  it("is the same for the owner and for strangers", async () => {
    const [owner, stranger] = [await get("//", OWNER, asBrowser), await get("//", STRANGER, asBrowser)];
    assert.equal(owner.body, stranger.body);
    assert.doesNotMatch(owner.body, /rad:|z6Mk/);
  });

  it("lets the page run and load nothing but its own files", async () => {
    const answer = await get("//", STRANGER, asBrowser);
    const policy = directivesOf(answer);
    assert.equal(policy.get("default-src"), "'none'");
    assert.equal(policy.get("connect-src"), "'self'");
    for (const name of ["base-uri", "form-action", "frame-ancestors"]) {
      assert.equal(policy.get(name), "'none'");
    }
    // No file of this host, and no script of its rights.
    assert.equal(policy.get("worker-src"), "data:");
    assert.equal(policy.get("require-trusted-types-for"), "'script'");
    assert.doesNotMatch([...policy.values()].join(" "), /unsafe|http|\*|strict-dynamic/);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
    const bytes = answer.headers.get("content-security-policy")!.length;
    assert.ok(bytes <= MAX_POLICY_BYTES, `${bytes} bytes`);
  });

  it("allows scripts and styles only by their hashes, so no path of this host can be one", async () => {
    const answer = await get("//", STRANGER, asBrowser);
    const policy = directivesOf(answer);
    const [, style = ""] = /<style>([^<]*)<\/style>/.exec(answer.body)!;
    const [, map = ""] = /<script type="importmap">([^<]*)<\/script>/.exec(answer.body)!;
    assert.equal(policy.get("style-src"), `'${await hashOf(style)}'`);
    const { integrity } = JSON.parse(map) as { integrity: Record<string, string> };
    const [, main, hash] = /<script type="module" src="([^"]+)" integrity="([^"]+)">/.exec(answer.body)!;
    const named = { ...integrity, [`./${main}`]: hash! };
    const allowed = [...Object.values(named), await hashOf(map)].map((hash) => `'${hash}'`);
    assert.deepEqual(policy.get("script-src")!.split(" ").toSorted(), allowed.toSorted());
    for (const [path, hash] of Object.entries(named)) {
      assert.equal(await hashOf((await get(`//${path}`)).body), hash, path);
    }
    // Everything else that the text of the page has is neither.
    assert.equal(answer.body.match(/<(?:script|style|link rel="stylesheet")/g)!.length, 3);
  });

  it("keeps openers out where browsers can, on origins that they trust", async () => {
    const { api } = createTestApi({ page: true });
    for (
      const [url, policy, fields = {}] of [
        ["http://localhost:8080/", "same-origin"],
        ["http://127.0.0.1/", "same-origin"],
        ["http://[::1]:1/", "same-origin"],
        ["https://node.example.org/", "same-origin"],
        ["http://node.example.org/", "same-origin", { "x-forwarded-proto": "https" }],
        ["http://node.example.org/", null],
        ["http://192.0.2.7/", null, { "x-forwarded-proto": "http" }],
      ] as const
    ) {
      const headers: Record<string, string> = { accept: BROWSER, ...fields };
      const answer = await api.fetch(new Request(url, { headers }));
      assert.equal(answer.headers.get("cross-origin-opener-policy"), policy, url);
    }
  });

  it("does not send the page again to who has it", async () => {
    const { headers } = await get("//", STRANGER, asBrowser);
    const etag = headers.get("etag")!;
    assert.equal(headers.get("cache-control"), "no-cache");
    const again = await get("//", STRANGER, { headers: { accept: BROWSER, "if-none-match": etag } });
    assert.deepEqual([again.status, again.body, again.headers.get("etag")], [304, "", etag]);
    assert.match(again.headers.get("vary")!, /^accept,/);
    const asProgram = await get("//", STRANGER, { headers: { "if-none-match": etag } });
    assert.equal(asProgram.status, 200);
  });

  it("answers HEAD without the page", async () => {
    const { status, headers, body } = await get("//", STRANGER, { ...asBrowser, method: "HEAD" });
    assert.deepEqual([status, headers.get("content-type"), body], [200, PAGE, ""]);
  });
});

describe("the files of the page", () => {
  it("are those that it names, to be stored for ever", async () => {
    const { get } = createTestApi({ page: true });
    const names = filesIn((await get("//", STRANGER, asBrowser)).body);
    assert.ok(names.length > 5);
    for (const name of names) {
      const { status, headers, body } = await get(`//page/${name}`);
      assert.deepEqual([status, body], [200, PAGE_FILES[name]!.text], name);
      assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.match(headers.get("content-security-policy")!, /sandbox/);
      const again = await get(`//page/${name}`, STRANGER, {
        headers: { "if-none-match": headers.get("etag")! },
      });
      assert.equal(again.status, 304);
    }
  });

  it("are no others", async () => {
    const { get } = createTestApi({ page: true });
    for (const name of ["index.html", "main.js", "HEAD", "__proto__", "constructor", "..%2Findex.html"]) {
      assert.equal((await get(`//page/${name}`)).status, 404, name);
    }
    assert.equal((await get("//page/")).status, 404);
  });

  it("import only each other", () => {
    for (const [name, { text }] of Object.entries(PAGE_FILES)) {
      if (!name.endsWith(".js")) continue;
      const imported = [
        ...text.matchAll(/(?:^|[;}])(?:import|export)(?:[\w*{},$ ]*from)?"([^"]+)"|\bimport\("([^"]+)"\)/g),
      ].map((match) => match[1] ?? match[2]!);
      for (const path of imported) assert.ok(path.replace("./", "") in PAGE_FILES, `${name}: ${path}`);
    }
  });
});

describe("a service without the page", () => {
  const file = Object.keys(PAGE_FILES).find((name) => name.endsWith(".js"))!;

  it("is the default", async () => {
    const { get } = createTestApi();
    assert.equal((await get("//", STRANGER, asBrowser)).headers.get("content-type"), JSON_TYPE);
    assert.equal((await get(`//page/${file}`)).status, 404);
  });

  it("is a service with only today's dialect", async () => {
    const { get } = createTestApi({ page: true, api: "today" });
    assert.equal((await get("//", STRANGER, asBrowser)).headers.get("content-type"), JSON_TYPE);
    assert.equal((await get(`//page/${file}`)).status, 404);
  });
});

describe("a service with the page below a path", () => {
  it("has the page and its files there", async () => {
    const { api } = createTestApi({ page: true, basePath: "/radicle" });
    const ask = async (path: string) => await api.fetch(new Request(`http://localhost${path}`, asBrowser));
    const page = await ask("/radicle/");
    assert.equal(page.headers.get("content-type"), PAGE);
    for (const name of filesIn(await page.text())) {
      assert.equal((await ask(`/radicle/page/${name}`)).status, 200);
    }
    assert.equal((await ask("/")).status, 404);
  });
});

describe("the alias of a repository", () => {
  it("cannot be the name of the page's files", () => {
    const rid = "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp";
    for (const name of ["page", "Page", "api", "raw"]) {
      assert.throws(() => createAliases({ [name]: rid }), TypeError, name);
    }
    assert.equal(createAliases({ pages: rid }).resolve("pages"), rid);
  });
});
