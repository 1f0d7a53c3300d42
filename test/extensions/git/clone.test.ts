/** Clones, fetches and refused pushes by the real git, over sockets of the runtime that executes this. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { HomeApi } from "../../../adapters/home/home.ts";
import type { Server } from "../../../adapters/server/server.ts";
import { HomeGitProgram } from "../../../extensions/git/home_git_program.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { casesHere } from "../../support/cases.ts";
import { GIT_ENVIRONMENT, GitRepository } from "../../support/git.ts";
import { noise } from "../../support/noise.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { adapter } from "../../adapters/this_runtime.ts";
import { open } from "../../adapters/wire.ts";
import { until } from "../../support/patience.ts";

/** Of the home: a public repository, a private one, and the node whose namespace they have. */
const PUBLIC = "z3vudAtNFLKr2mxxqMQS742bR7fSg";
const PRIVATE = "z3HkoSGMWwN9pB2SNaiUvx4A6HBpK";
const ANN = "z6MkodJHzY8Bn6PycRu3pon7V3vzfk12nbndWcBz2mxMAsa2";
/** A node without a namespace here. */
const OTHER = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";
const HEAD = "2c40a72097b1f444930220a3923e8d0d65aeaf29";
/** On each runtime the newest and the oldest one: the one between them is the oldest with another first line. */
const PROTOCOLS = casesHere([0, 1, 2], (protocol) => protocol !== 1);
/** Processes of each kind at a time in these tests. */
const MAX_PROCESSES = 2;

const folder = temporaryFolder("git-clone");
let git: HomeGitProgram, home: HomeApi, strangers: HomeApi, storage: string;
let server: Server, strangerServer: Server, base: string, strangerBase: string;
let clones = 0;

before(async () => {
  const path = unpackHome("today/today-browse.tar.gz", folder);
  storage = join(path, "storage");
  git = new HomeGitProgram(storage, adapter.homeParts.startProgram!, {
    maxProcesses: { references: MAX_PROCESSES, fetches: MAX_PROCESSES, packs: MAX_PROCESSES },
  });
  home = await adapter.createHomeApi({ home: path, git });
  strangers = await adapter.createHomeApi({ home: path, git, behindProxy: true });
  [server, base] = await listen(home);
  [strangerServer, strangerBase] = await listen(strangers);
});
after(async () => {
  await Promise.all([server, strangerServer].map((one) => one?.close()));
  await Promise.all([home, strangers].map((one) => one?.close()));
  removeFolder(folder);
});

async function listen({ api }: HomeApi): Promise<[Server, string]> {
  const handler = (request: Request, client: Parameters<typeof api.handle>[1]) => api.handle(request, client);
  const address = { transport: "tcp", hostname: "127.0.0.1", port: 0 } as const;
  const server = await adapter.createServer(handler, { address });
  assert.equal(server.address.transport, "tcp");
  return [server, `http://127.0.0.1:${server.address.transport === "tcp" ? server.address.port : 0}`];
}

interface Ended {
  readonly status: number;
  readonly output: string;
}

/** Runs git as a client does, in this process's absence: the server is in it. */
function run(...args: string[]): Promise<Ended> {
  const env = { ...GIT_ENVIRONMENT, GIT_TERMINAL_PROMPT: "0" };
  return new Promise((resolve) => {
    execFile("git", args, { env, cwd: folder, encoding: "utf8" }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, output: stdout + stderr });
    });
  });
}

/** Runs git, which must succeed; its output. */
async function succeed(...args: string[]): Promise<string> {
  const { status, output } = await run(...args);
  assert.equal(status, 0, output);
  return output.trim();
}

/** Clones a repository; the path of the clone. */
async function clone(url: string, ...options: string[]): Promise<string> {
  const path = join(folder, `clone${clones++}`);
  await succeed(...options.filter((option) => !option.startsWith("--")), ...[
    "clone",
    "--quiet",
    ...options.filter((option) => option.startsWith("--")),
    url,
    path,
  ]);
  return path;
}

const version = (protocol: number) => ["-c", `protocol.version=${protocol}`];

/** Commits of the checked out branch. */
const countCommits = async (path: string) => Number(await succeed("-C", path, "rev-list", "--count", "HEAD"));

/** A request for one object in a version of the protocol. */
function wanting(oid: string, protocol: number): RequestInit {
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
  const body = protocol === 2
    ? `${line("command=fetch\n")}0001${line("no-progress\n")}${line(`want ${oid}\n`)}${line("done\n")}0000`
    : `${line(`want ${oid} no-progress\n`)}0000${line("done\n")}`;
  const headers = {
    "content-type": "application/x-git-upload-pack-request",
    "git-protocol": `version=${protocol}`,
  };
  return { method: "POST", headers, body };
}

describe("git over HTTP", () => {
  for (const protocol of PROTOCOLS) {
    it(`serves whole and partial clones in version ${protocol}`, async () => {
      const whole = await clone(`${base}/${PUBLIC}.git`, ...version(protocol));
      assert.equal(await succeed("-C", whole, "rev-parse", "HEAD"), HEAD);
      assert.equal(await countCommits(whole), 3);

      const partial = await clone(`${base}/rad:${PUBLIC}`, ...version(protocol), "--filter=blob:none");
      assert.equal(readFileSync(join(partial, "README"), "utf8"), "Hello again\n");
      // The content of an earlier commit is fetched when it is asked for.
      assert.match(await succeed(...version(protocol), "-C", partial, "show", "HEAD~2"), /First/);
    });
  }

  it("serves shallow clones, and the rest of them later", async () => {
    const path = await clone(`${base}/${PUBLIC}.git`, "--depth=1");
    assert.equal(await countCommits(path), 1);
    await succeed("-C", path, "fetch", "--quiet", "--unshallow");
    assert.equal(await countCommits(path), 3);
    await succeed("-C", path, "fsck", "--full", "--strict");
  });

  it("serves single branches, and what is new in them", async () => {
    const repository = new GitRepository(join(storage, PUBLIC));
    const tree = repository.text(["rev-parse", `${HEAD}^{tree}`]);
    repository.setRef("refs/heads/side", repository.text(["commit-tree", tree, "-m", "Side"]) as Oid);
    const path = await clone(`${base}/${PUBLIC}.git`, "--single-branch", "--branch=side");
    assert.equal(await countCommits(path), 1);

    const next = repository.text(["commit-tree", tree, "-p", "refs/heads/side", "-m", "Next"]) as Oid;
    repository.setRef("refs/heads/side", next);
    await succeed("-C", path, "pull", "--quiet");
    assert.equal(await succeed("-C", path, "rev-parse", "HEAD"), next);
    repository.run(["update-ref", "-d", "refs/heads/side"]);
  });

  it("serves the namespace of one peer as a repository", async () => {
    for (const protocol of PROTOCOLS) {
      const path = await clone(`${base}/${PUBLIC}.git/${ANN}`, ...version(protocol));
      assert.equal(readFileSync(join(path, "README"), "utf8"), "Hello again\n");
      assert.equal(await succeed("-C", path, "symbolic-ref", "HEAD"), "refs/heads/master");
      assert.equal(await succeed("-C", path, "rev-parse", "HEAD"), HEAD);
      await succeed("-C", path, ...version(protocol), "pull", "--quiet");
      const url = `${base}/${PUBLIC}/${ANN}`;
      assert.equal(await succeed(...version(protocol), "ls-remote", url, "HEAD"), `${HEAD}\tHEAD`);
    }
    const refs = await succeed("ls-remote", `${base}/${PUBLIC}/${ANN}`);
    assert.match(refs, /\trefs\/rad\/sigrefs$/m);
    assert.doesNotMatch(refs, /namespaces/);
    assert.equal(await succeed("ls-remote", `${base}/${PUBLIC}.git/${OTHER}`), "");
  });

  it("unpacks gzip, which git uses for long requests", async () => {
    const { body, ...init } = wanting(HEAD, 0);
    const headers = { ...init.headers as Record<string, string>, "content-encoding": "gzip" };
    const packed = { ...init, headers, body: gzipSync(String(body)) };
    const response = await fetch(`${base}/${PUBLIC}.git/git-upload-pack`, packed);
    assert.match(await response.text(), /^0008NAK\nPACK/);
  });

  it("refuses pushes with a text that git shows", async () => {
    const path = await clone(`${base}/${PUBLIC}.git`);
    const { status, output } = await run("-C", path, "push", "origin", "HEAD:refs/heads/mine");
    assert.notEqual(status, 0);
    assert.match(output, /remote: This service takes no pushes/);
    assert.match(output, /403/);
  });

  it("shows a private repository to the owner alone", async () => {
    assert.equal(await countCommits(await clone(`${base}/${PRIVATE}.git`)), 3);
    for (const path of ["info/refs?service=git-upload-pack", "info/refs", "HEAD", "git-upload-pack"]) {
      const ask = async (rid: string) => {
        const url = `${strangerBase}/${rid}.git/${path}`;
        const response = await fetch(url, path === "git-upload-pack" ? wanting(HEAD, 0) : {});
        const text = await response.text();
        return {
          status: response.status,
          text: text.replaceAll(rid, "RID"),
          type: response.headers.get("content-type"),
        };
      };
      const [hidden, absent] = [await ask(PRIVATE), await ask("z4FucBZHZMCsxTyQE1dfE2YR59Qbp")];
      assert.equal(hidden.status, 404);
      assert.deepEqual(hidden, absent);
    }
  });

  it("hides drafts and temporary references, and refuses what only they lead to", async () => {
    const repository = new GitRepository(join(storage, PUBLIC));
    const blob = repository.put("blob", "a draft\n");
    const tree = repository.text(["mktree"], `100644 blob ${blob}\tdraft\n`);
    const commit = repository.text(["commit-tree", tree, "-p", HEAD, "-m", "Draft"]) as Oid;
    const names = [
      `refs/namespaces/${ANN}/refs/drafts/reviews/one`,
      `refs/namespaces/${OTHER}/refs/drafts/cobs/two`,
      `refs/namespaces/${ANN}/refs/tmp/heads/three`,
    ];
    for (const name of names) repository.setRef(name, commit);
    const stray = repository.put("blob", "no reference leads here\n");

    for (const protocol of PROTOCOLS) {
      const paths = [`${PUBLIC}.git`, `${PUBLIC}.git/${ANN}`];
      for (const path of protocol === 2 ? paths : paths.slice(0, 1)) {
        const refs = await succeed(...version(protocol), "ls-remote", `${base}/${path}`);
        assert.doesNotMatch(refs, /drafts|tmp|one|two|three/);
        assert.ok(!refs.includes(commit));
        for (const oid of [commit, tree, blob, stray, "f".repeat(40)]) {
          const response = await fetch(`${base}/${path}/git-upload-pack`, wanting(oid, protocol));
          assert.equal(response.status, 200);
          assert.equal(await response.text(), `0049ERR upload-pack: not our ref ${oid}`);
        }
      }
      const old = repository.text(["rev-parse", "HEAD~2:README"]);
      const allowed = await fetch(`${base}/${PUBLIC}.git/git-upload-pack`, wanting(old, protocol));
      assert.match(await allowed.text(), /PACK/);
    }
    const list = await (await fetch(`${base}/${PUBLIC}.git/info/refs`)).text();
    assert.ok(!list.includes(commit));
    for (const name of names) repository.run(["update-ref", "-d", name]);
  });

  it("runs a bounded number of processes, and answers other requests meanwhile", async () => {
    const ask = () => fetch(`${base}/${PUBLIC}.git/git-upload-pack`, wanting(HEAD, 2));
    let most = 0;
    const watch = setInterval(() => most = Math.max(most, git.running), 1);
    const answers = Array.from({ length: 32 }, async () => (await ask()).text());
    const project = await fetch(`${base}/api/v1/projects/rad:${PUBLIC}`);
    assert.equal(project.status, 200);
    await project.arrayBuffer();
    for (const answer of await Promise.all(answers)) assert.match(answer, /PACK/);
    clearInterval(watch);
    assert.ok(most <= MAX_PROCESSES, `${most} processes`);
    await until(() => git.running === 0);
  });

  it("ends git when its client leaves in the midst of an answer", async () => {
    const repository = new GitRepository(join(storage, PUBLIC));
    // More than fits into the buffers on the way.
    const put = ["-c", "core.compression=0", "hash-object", "-w", "--stdin"];
    const blob = repository.text(put, noise(16 * 1024 * 1024)) as Oid;
    repository.setRef("refs/tags/large", blob);
    const { body, headers } = wanting(blob, 0);
    const fields = Object.entries(headers as Record<string, string>).map(([name, value]) =>
      `${name}: ${value}`
    );
    const wire = await open(server.address);
    wire.send([
      `POST /${PUBLIC}.git/git-upload-pack HTTP/1.1`,
      "host: localhost",
      ...fields,
      `content-length: ${String(body).length}`,
      "",
      String(body),
    ].join("\r\n"));
    await wire.until("PACK");
    assert.equal(git.running, 1);
    wire.leave();
    await until(() => git.running === 0);
    repository.run(["update-ref", "-d", "refs/tags/large"]);
  });

  it("answers 501 where there is no git", async () => {
    const none = new HomeGitProgram(
      storage,
      (command) => adapter.homeParts.startProgram!({ ...command, program: "no-such-git" }),
    );
    const api = await adapter.createHomeApi({ home: home.home, git: none, environment: { log: () => {} } });
    const response = await api.api.fetch(
      new Request(`http://localhost/${PUBLIC}.git/info/refs?service=git-upload-pack`),
    );
    assert.equal(response.status, 501);
    assert.equal(await response.text(), "This service cannot run no-such-git\n");
    await api.close();
  });
});
