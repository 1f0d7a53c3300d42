/**
 * Who may see what belongs to the owner of the node, asked by pages in a real browser: pages of this machine and of the web app see all, those of foreign
 * origins what is public, even when a foreign name leads to this machine.
 *
 * Chromium lets pages of the internet ask servers of this machine only after the user has agreed, and only over TLS; the tests agree in the user's place.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build } from "esbuild";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { parseNid } from "../../src/ids/nid.ts";
import { challengeText } from "../../src/session/key_sign_in.ts";
import {
  removeFolder,
  ROOT,
  RUNTIMES,
  type Service,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { GitRepository } from "../support/git.ts";
import { type Browser, type Page, startBrowser } from "./browser_process.ts";
import type { TodayPage } from "./today_page.ts";

/** Of the home: its node, a public repository and a private one. */
const ALICE = parseNid("z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX");
const PUBLIC = "rad:z3F8iLT3QXXmWkdhjGEBchwG5YooP";
const NAME = "plain";
const PRIVATE = "rad:z41Z7nTi41vMq7zrqaD3VAc2Kbiw5";

/** A name of the internet that leads to this machine, as an attacker may have it. */
const FOREIGN = "foreign.example";
const WEB_APP = "https://app.radicle.xyz";

/** What a page gets: statuses, whether the private repository is listed, whether a file of it runs as a script, and another shows as an image. */
interface Sight {
  readonly public: number;
  readonly private: number;
  readonly profile: number;
  readonly isListed: boolean;
  readonly runs: boolean;
  readonly shows: boolean;
}
const EVERYTHING: Sight = {
  public: 200,
  private: 200,
  profile: 200,
  isListed: true,
  runs: true,
  shows: true,
};
/** A page of another site than the service: only `fetch` says the page's origin, scripts and images do not. */
const ALL_BY_FETCH: Sight = { ...EVERYTHING, runs: false, shows: false };
const PUBLIC_ONLY: Sight = {
  public: 200,
  private: 404,
  profile: 401,
  isListed: false,
  runs: false,
  shows: false,
};

/** A git for browsers with a file system, as a script that makes them global. */
const GIT_FOR_PAGES = `
  import { Buffer } from "buffer/";
  globalThis.Buffer = Buffer;
  import * as git from "isomorphic-git";
  import http from "isomorphic-git/http/web";
  import FileSystem from "@isomorphic-git/lightning-fs";
  Object.assign(globalThis, { git, http, FileSystem });
`;

/** The same with all that it imports, in one text. */
async function bundle(contents: string): Promise<string> {
  const stdin = { contents, resolveDir: ROOT };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "iife", minify: true });
  return outputFiles[0]!.text;
}

const IMAGE = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

const folder = temporaryFolder("browser");
let browser: Browser, pages: Server, pagesPort: number, script: string, todayScript: string;

before(async () => {
  script = await bundle(GIT_FOR_PAGES);
  todayScript = await bundle('import "./test/interop/today_page.ts";');
  browser = startBrowser([`MAP ${FOREIGN} 127.0.0.1`]);
  pages = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end("<!doctype html><title>page of a test</title>");
  }).listen(0, "127.0.0.1");
  await once(pages, "listening");
  pagesPort = (pages.address() as AddressInfo).port;
});
after(async () => {
  await browser?.stop();
  pages?.close();
  removeFolder(folder);
});

/** A page of an origin of the internet, whose user lets it ask this machine. */
async function openFromInternet(origin: string): Promise<Page> {
  await browser.allowLocalNetwork(origin);
  return await browser.open(`${origin}/`, { isMadeUp: true });
}

for (const runtime of RUNTIMES) {
  describe(`xylem on ${runtime} and a browser`, () => {
    let service: Service, home: string, port: string, secret: string, image: string;

    before(async () => {
      home = unpackHome("browse.tar.gz", temporaryFolderIn(runtime));
      service = await startService(runtime, home);
      port = new URL(service.url).port;
      const git = new GitRepository(join(home, "storage", PRIVATE.slice("rad:".length)));
      secret = `/raw/${PRIVATE}/blobs/${git.text(["rev-parse", "HEAD:README"])}?mime=text/javascript`;
      image = `/raw/${PRIVATE}/blobs/${git.put("blob", IMAGE)}?mime=image/svg%2Bxml`;
    });
    after(() => service?.stop());

    /** Looks from a page, by default through the address that the service prints. */
    const look = (page: Page, base = service.url) =>
      page.run(lookAround, base, PUBLIC, PRIVATE, secret, image);

    it("show a page of this machine everything", async () => {
      for (const host of ["localhost", "127.0.0.1"]) {
        const page = await browser.open(`http://${host}:${pagesPort}/`);
        assert.deepEqual(await look(page, `http://${host}:${port}`), EVERYTHING);
        const other = host === "localhost" ? "127.0.0.1" : "localhost";
        assert.deepEqual(await look(page, `http://${other}:${port}`), ALL_BY_FETCH);
      }
    });

    it("show a page of the web app everything, but run and embed nothing in it", async () => {
      const page = await openFromInternet(WEB_APP);
      assert.deepEqual(await look(page), ALL_BY_FETCH);
      assert.deepEqual(await look(page, `http://localhost:${port}`), ALL_BY_FETCH);
    });

    it("show a page of a foreign origin what is public", async () => {
      const page = await openFromInternet(`https://${FOREIGN}`);
      assert.deepEqual(await look(page), PUBLIC_ONLY);
      assert.deepEqual(await look(page, `http://localhost:${port}`), PUBLIC_ONLY);
    });

    it("show a page of a foreign origin on this machine what is public", async () => {
      const page = await browser.open(`http://${FOREIGN}:${pagesPort}/`);
      assert.deepEqual(await look(page), PUBLIC_ONLY);
      assert.deepEqual(await look(page, `http://localhost:${port}`), PUBLIC_ONLY);
    });

    it("show a page whose foreign name leads to the service itself what is public", async () => {
      const page = await browser.open(`http://${FOREIGN}:${port}/api/v1`);
      assert.deepEqual(await look(page, ""), PUBLIC_ONLY);
      assert.deepEqual(await look(page, `http://${FOREIGN}:${port}`), PUBLIC_ONLY);
    });

    it("let a page of a foreign origin clone what is public", async () => {
      const page = await openFromInternet(`https://${FOREIGN}`);
      await page.run(loadScript, script);
      const git = new GitRepository(join(home, "storage", PUBLIC.slice("rad:".length)));
      assert.deepEqual(await page.run(cloneInPage, `${service.url}/${PUBLIC}.git`), {
        head: git.text(["rev-parse", "HEAD"]),
        commits: Number(git.text(["rev-list", "--count", "HEAD"])),
        refs: git.text(["for-each-ref", "--format=%(refname)", "refs/heads"]).split("\n"),
      });
      assert.match(await page.run(failToClone, `${service.url}/${PRIVATE}.git`), /404/);
    });

    it("let a small page of a foreign origin browse, sign in, open an issue and answer it", async () => {
      const page = await openFromInternet(`https://${FOREIGN}`);
      await page.run(loadScript, todayScript);
      const names = await page.run(startTodayPage, service.url);
      assert.ok(names.length > 1, names.join());
      assert.ok(names.includes(NAME));
      const before = await page.run(chooseInPage, NAME);
      assert.match(await page.run(failToOpenIssue), /Authorization/);
      await signInFrom(page, home);
      const after = await page.run(openIssueInPage, `Small, on ${runtime}`, "From a page", "Indeed");
      assert.deepEqual(after, [`Small, on ${runtime}: From a page | Indeed`, ...before]);
    });

    it("let no page change anything without a session", async () => {
      for (
        const page of [
          await openFromInternet(WEB_APP),
          await browser.open(`http://${FOREIGN}:${port}/api/v1`),
        ]
      ) {
        assert.deepEqual(await page.run(tryToChange, service.url, PUBLIC), [400, 401, 401, 401]);
      }
    });

    it("sign a page of the web app in, and let it change an issue", async () => {
      const page = await openFromInternet(WEB_APP);
      const opened = await page.run(askJson, service.url, "POST", "/sessions", "", null);
      assert.equal(opened.status, 201);
      const { sessionId } = opened.body;
      const signer = await openSigner({ home, nodeId: ALICE, fileSystem })();
      const sig = encodeMultibase(
        await signer.sign(new TextEncoder().encode(challengeText(sessionId, ALICE))),
      );
      const send = (method: string, path: string, body: object | null = null) =>
        page.run(askJson, service.url, method, path, sessionId, body);

      assert.equal((await send("PUT", `/sessions/${sessionId}`, { pk: ALICE, sig })).status, 200);
      const title = `From a page, on ${runtime}`;
      const issue = { title, description: "", labels: [], assignees: [], embeds: [] };
      const { status, body: { id } } = await send("POST", `/projects/${PUBLIC}/issues`, issue);
      assert.equal(status, 201);
      const path = `/projects/${PUBLIC}/issues/${id}`;
      const close = { type: "lifecycle", state: { status: "closed", reason: "solved" } };
      assert.equal((await send("PATCH", path, close)).status, 200);
      const shown = await send("GET", path);
      assert.equal(shown.body.title, title);
      assert.deepEqual(shown.body.state, { status: "closed", reason: "solved" });
      assert.equal((await send("DELETE", `/sessions/${sessionId}`)).status, 200);
      assert.equal((await send("PATCH", path, close)).status, 401);
    });
  });
}

/** The session of a page with the small page for today's clients, signed with the key of the home. */
async function signInFrom(page: Page, home: string): Promise<void> {
  const id = await page.run(openSessionInPage);
  const signer = await openSigner({ home, nodeId: ALICE, fileSystem })();
  const sig = encodeMultibase(await signer.sign(new TextEncoder().encode(challengeText(id, ALICE))));
  await page.run(authorizeInPage, id, { pk: ALICE, sig });
}

function temporaryFolderIn(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

// What follows runs in pages: each function stands for itself.

/** What a page gets of a service. */
async function lookAround(
  base: string,
  open: string,
  hidden: string,
  script: string,
  image: string,
): Promise<Sight> {
  const ask = (path: string) => fetch(`${base}/api/v1${path}`);
  const status = async (path: string) => (await ask(path)).status;
  const listed = await (await ask("/projects?show=all&perPage=1000")).json();
  return {
    public: await status(`/projects/${open}`),
    private: await status(`/projects/${hidden}`),
    profile: await status("/profile"),
    isListed: listed.some(({ id }: { id: string }) => id === hidden),
    runs: await new Promise((resolve) => {
      const element = document.createElement("script");
      element.onload = () => resolve(true);
      element.onerror = () => resolve(false);
      element.src = base + script;
      document.head.append(element);
    }),
    shows: await new Promise((resolve) => {
      const element = new Image();
      element.onload = () => resolve(true);
      element.onerror = () => resolve(false);
      element.src = base + image;
    }),
  };
}

/** The statuses of attempts to change something. */
async function tryToChange(base: string, rid: string): Promise<number[]> {
  const body = JSON.stringify({ title: "Not mine", description: "", labels: [], assignees: [], embeds: [] });
  const headers = { "content-type": "application/json", authorization: "Bearer none" };
  const send = async (path: string, init: RequestInit) => (await fetch(`${base}/api/v1${path}`, init)).status;
  return [
    await send(`/projects/${rid}/issues`, { method: "POST", body }),
    await send(`/projects/${rid}/issues`, { method: "POST", body, headers }),
    await send(`/node/policies/repos/${rid}`, { method: "PUT", headers }),
    await send(`/node/policies/repos/${rid}`, { method: "DELETE", headers }),
  ];
}

/** An answer to a question with a session. */
async function askJson(base: string, method: string, path: string, token: string, sent: object | null) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = sent === null ? null : JSON.stringify(sent);
  const response = await fetch(`${base}/api/v1${path}`, { method, headers, body });
  return { status: response.status, body: await response.json() };
}

/** Starts the small page for today's clients; the names of repositories that it shows. */
async function startTodayPage(base: string): Promise<string[]> {
  const { page } = globalThis as unknown as { page: TodayPage };
  await page.start(base);
  return [...document.querySelectorAll("button")].map(({ textContent }) => textContent ?? "");
}

/** Chooses a repository in the small page; the issues that it shows. */
async function chooseInPage(name: string): Promise<string[]> {
  const { page } = globalThis as unknown as { page: TodayPage };
  await page.choose(name);
  return [...document.querySelectorAll("article")].map(({ textContent }) => textContent ?? "");
}

function openSessionInPage(): Promise<string> {
  return (globalThis as unknown as { page: TodayPage }).page.openSession();
}

function authorizeInPage(id: string, proof: { pk: string; sig: string }): Promise<void> {
  return (globalThis as unknown as { page: TodayPage }).page.authorize(id, proof);
}

/** Opens an issue in the small page and answers it; the issues that it shows then, the newest first. */
async function openIssueInPage(title: string, description: string, answer: string): Promise<string[]> {
  const { page } = globalThis as unknown as { page: TodayPage };
  await page.openIssue(title, description);
  await page.comment(answer);
  return [...document.querySelectorAll("article")].map(({ textContent }) => textContent ?? "");
}

/** The error of a small page that opens an issue without a session. */
async function failToOpenIssue(): Promise<string> {
  const { page } = globalThis as unknown as { page: TodayPage };
  return await page.openIssue("Not mine", "").then(() => "opened", String);
}

/** Runs a script as if the page had it. */
function loadScript(script: string): Promise<void> {
  const element = document.createElement("script");
  element.textContent = script;
  document.head.append(element);
  return Promise.resolve();
}

/** Clones a repository by isomorphic-git, whose scripts the page has. */
async function cloneInPage(url: string) {
  // deno-lint-ignore no-explicit-any -- globals of the scripts
  const { FileSystem, http, git } = globalThis as any;
  const at = { fs: new FileSystem("clone", { wipe: true }), http, dir: "/clone" };
  await git.clone({ ...at, url, singleBranch: true });
  const refs = await git.listServerRefs({ http, url, prefix: "refs/heads/" });
  return {
    head: await git.resolveRef({ ...at, ref: "HEAD" }),
    commits: (await git.log(at)).length,
    refs: refs.map(({ ref }: { ref: string }) => ref),
  };
}

/** The error of a clone that fails. */
async function failToClone(url: string): Promise<string> {
  // deno-lint-ignore no-explicit-any -- globals of the scripts
  const { FileSystem, http, git } = globalThis as any;
  const options = { fs: new FileSystem("failure", { wipe: true }), http, dir: "/failure", url };
  return await git.clone(options).then(() => "cloned", String);
}
