/** Requests to the real git that no client of git sends, over sockets of the runtime that executes this. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { HomeApi } from "../../../adapters/home/home.ts";
import type { Server } from "../../../adapters/server/server.ts";
import { HomeGitProgram } from "../../../extensions/git/home_git_program.ts";
import { pktLine } from "../../../extensions/git/pkt_line.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { GitProtocol } from "../../../extensions/git/git_program.ts";
import { casesHere } from "../../support/cases.ts";
import { GIT_ENVIRONMENT, GitRepository } from "../../support/git.ts";
import { noise } from "../../support/noise.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { adapter } from "../../adapters/this_runtime.ts";
import { open, type Wire } from "../../adapters/wire.ts";
import { until } from "../../support/patience.ts";

/** Of the home: a public repository, and the node whose namespace it has. */
const RID = "z3vudAtNFLKr2mxxqMQS742bR7fSg";
const ANN = "z6MkodJHzY8Bn6PycRu3pon7V3vzfk12nbndWcBz2mxMAsa2";
const HEAD = "2c40a72097b1f444930220a3923e8d0d65aeaf29";
const ABSENT = "1".repeat(40);
/**
 * Versions of the git protocol. All are tested on Node.js, the newest one on each runtime: the code that parses and writes
 * their packets is the same, but each runtime starts git and streams bodies in its own way.
 */
const PROTOCOLS = casesHere<GitProtocol>([0, 1, 2], (protocol) => protocol === 2);
/** Places for packs in these tests. */
const PACKS = 2;
/** More than fits into the buffers on the way. */
const LARGE_BYTES = 32 * 1024 * 1024;
/** Start of a frame with a part of a pack (gitprotocol-pack, "Packfile Data"). */
// deno-lint-ignore no-control-regex -- the number of the band is a byte
const FRAME_OF_PACK = /[0-9a-f]{4}\x01/g;

const folder = temporaryFolder("git-requests");
const log: string[] = [];
let home: HomeApi, server: Server, base: string, git: HomeGitProgram, repository: GitRepository;

before(async () => {
  const path = unpackHome("today/today-browse.tar.gz", folder);
  const storage = join(path, "storage");
  repository = new GitRepository(join(storage, RID));
  git = new HomeGitProgram(storage, adapter.homeParts.startProgram!, {
    maxProcesses: { packs: PACKS },
    lagMs: 200,
    makeRoomMs: 20,
  });
  home = await adapter.createHomeApi({
    home: path,
    git,
    environment: {
      log: (level, message, cause) => {
        log.push(`${level} ${message}: ${cause instanceof Error && level === "error" ? cause.stack : cause}`);
      },
    },
  });
  const { api } = home;
  server = await adapter.createServer((request, client) => api.handle(request, client), {
    address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
    log: (level, message, cause) => void log.push(`${level} ${message}: ${cause}`),
  });
  assert.equal(server.address.transport, "tcp");
  base = `http://127.0.0.1:${server.address.transport === "tcp" ? server.address.port : 0}`;
});
after(async () => {
  await server?.close();
  git?.close();
  await home?.close();
  removeFolder(folder);
});

interface Told {
  readonly status: number;
  readonly text: string;
}

/** Sends a body to git; the answer, one character for each byte, without the numbers of its progress. */
async function send(
  body: string | Uint8Array<ArrayBuffer>,
  protocol: GitProtocol,
  { path = `${RID}.git`, ...headers }: { readonly path?: string } & Record<string, string> = {},
): Promise<Told> {
  const response = await fetch(`${base}/${path}/git-upload-pack`, {
    method: "POST",
    headers: {
      "content-type": "application/x-git-upload-pack-request",
      "git-protocol": `version=${protocol}`,
      ...headers,
    },
    body,
  });
  return { status: response.status, text: new TextDecoder("latin1").decode(await response.arrayBuffer()) };
}

/** A fetch in one version of the protocol: lines beside the wanted object, and what the client has. */
function fetching(
  protocol: GitProtocol,
  want: string,
  lines: readonly string[],
  haves: readonly string[],
  end: readonly string[],
): string {
  const text = (some: readonly string[]) => some.map((line) => pktLine(`${line}\n`)).join("");
  const had = haves.map((oid) => `have ${oid}`);
  if (protocol === 2) {
    return `${text(["command=fetch"])}0001${
      text(["no-progress", `want ${want}`, ...lines, ...had, ...end])
    }0000`;
  }
  const capabilities = "multi_ack_detailed no-done side-band-64k no-progress";
  return `${text([`want ${want} ${capabilities}`, ...lines])}0000${text(had)}${
    end.length > 0 ? text(end) : "0000"
  }`;
}

/** An answer without the frames in which git happens to send a pack, and with one object id in place of another. */
function plain({ status, text }: Told, oid: string = ABSENT): Told {
  return { status, text: text.replace(FRAME_OF_PACK, "").replaceAll(oid, ABSENT) };
}

/** Runs git as a client, which must succeed; its output. */
function succeed(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      "git",
      args,
      { env: GIT_ENVIRONMENT, cwd: folder, encoding: "utf8" },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim());
        else reject(new Error(stderr));
      },
    );
  });
}

/** Runs a function while there are drafts, an object without any reference, and a branch of a node. */
async function withDrafts(
  run: (made: { drafts: readonly Oid[]; stray: Oid; refs: readonly string[] }) => Promise<void>,
): Promise<void> {
  const blob = repository.put("blob", "a draft\n");
  const tree = repository.text(["mktree"], `100644 blob ${blob}\tdraft\n`) as Oid;
  const draft = repository.text(["commit-tree", tree, "-p", HEAD, "-m", "Draft"]) as Oid;
  const stray = repository.text(["commit-tree", tree, "-p", HEAD, "-m", "Stray"]) as Oid;
  const refs = [
    `refs/namespaces/${ANN}/refs/drafts/reviews/one`,
    "refs/drafts/two",
    `refs/namespaces/${ANN}/refs/tmp/heads/three`,
  ];
  for (const name of refs) repository.setRef(name, draft);
  try {
    await run({ drafts: [draft, tree, blob], stray, refs });
  } finally {
    for (const name of refs) repository.run(["update-ref", "-d", name]);
  }
}

describe("git over HTTP", () => {
  for (const protocol of PROTOCOLS) {
    it(`knows objects of drafts no more than absent ones in version ${protocol}`, async () => {
      await withDrafts(async ({ drafts, stray }) => {
        const parent = repository.text(["rev-parse", "HEAD~1"]);
        const cases: ((oid: string) => string)[] = [];
        for (const end of [[], ["done"]]) {
          cases.push(
            (oid) => fetching(protocol, HEAD, [], [oid], end),
            (oid) => fetching(protocol, HEAD, [], [parent, oid], end),
            (oid) => fetching(protocol, HEAD, [], [oid, parent, oid], end),
            (oid) => fetching(protocol, HEAD, [`shallow ${oid}`, "deepen 1"], [], ["done"]),
            (oid) => fetching(protocol, HEAD, [`shallow ${oid}`], [oid], end),
          );
        }
        for (const make of cases) {
          const absent = plain(await send(make(ABSENT), protocol));
          assert.equal(absent.status, 200);
          assert.match(absent.text, /PACK|NAK|ready|shallow/);
          for (const oid of [...drafts, stray]) {
            assert.deepEqual(plain(await send(make(oid), protocol), oid), absent, make(oid));
          }
        }
      });
    });

    it(`knows names of drafts no more than absent ones in version ${protocol}`, async () => {
      await withDrafts(async ({ refs }) => {
        const make = (name: string) => fetching(protocol, HEAD, [`deepen-not ${name}`], [], ["done"]);
        const names = refs.flatMap((
          name,
        ) => [name, name.slice("refs/".length), name.split("/refs/").at(-1)!]);
        for (const path of [`${RID}.git`, `${RID}.git/${ANN}`]) {
          for (const name of names) {
            const absent = `${name.slice(0, -1)}X`;
            const told = await send(make(name), protocol, { path });
            assert.equal(
              told.text.replaceAll(name, absent),
              (await send(make(absent), protocol, { path })).text,
            );
            assert.equal(told.text, pktLine(`ERR upload-pack: no such reference ${name}`));
          }
        }
      });
    });
  }

  it("lists no drafts, whatever prefix is asked for", async () => {
    await withDrafts(async ({ refs, drafts }) => {
      const ask = (names: readonly string[]) =>
        `${pktLine("command=ls-refs\n")}0001${
          names.map((name) => pktLine(`ref-prefix ${name}\n`)).join("")
        }0000`;
      for (const path of [`${RID}.git`, `${RID}.git/${ANN}`]) {
        for (
          const names of [[], ["refs/drafts"], refs, ["refs/namespaces"], Array<string>(2000).fill("refs/d")]
        ) {
          const { status, text } = await send(ask(names), 2, { path });
          assert.equal(status, 200);
          assert.ok(!text.includes(drafts[0]!) && !/drafts|tmp/.test(text), text);
        }
      }
    });
  });

  it("leaves out the history of references, by their names in a namespace, too", async () => {
    const older = repository.text(["rev-parse", "HEAD~1"]) as Oid;
    repository.setRef(`refs/namespaces/${ANN}/refs/heads/older`, older);
    let clones = 0;
    for (const protocol of PROTOCOLS) {
      for (
        const [path, name] of [[`${RID}.git/${ANN}`, "older"], [`${RID}.git/${ANN}`, "refs/heads/older"]]
      ) {
        const clone = join(folder, `exclude${clones++}`);
        const options = ["-c", `protocol.version=${protocol}`, "clone", "--quiet", "--branch=master"];
        await succeed(...options, `--shallow-exclude=${name}`, `${base}/${path}`, clone);
        assert.equal(await succeed("-C", clone, "rev-list", "--count", "HEAD"), "1");
      }
      // Outside of the namespace there is no such branch.
      const told = await send(fetching(protocol, HEAD, ["deepen-not older"], [], ["done"]), protocol);
      assert.match(told.text, /no such reference older/);
    }
    repository.run(["update-ref", "-d", `refs/namespaces/${ANN}/refs/heads/older`]);
  });

  it("serves fetches of clients that have commits of their own", async () => {
    const tree = repository.text(["rev-parse", "HEAD^{tree}"]);
    let tip = HEAD;
    repository.setRef("refs/heads/side", HEAD as Oid);
    for (const protocol of PROTOCOLS) {
      const clone = join(folder, `own${protocol}`);
      const options = ["-c", `protocol.version=${protocol}`];
      await succeed(...options, "clone", "--quiet", "--branch=side", `${base}/${RID}.git`, clone);
      for (let i = 0; i < 40; i++) {
        await succeed("-C", clone, "commit", "--quiet", "--allow-empty", "-m", `Own ${i}`);
      }
      tip = repository.text(["commit-tree", tree, "-p", tip, "-m", `Next ${protocol}`]);
      repository.setRef("refs/heads/side", tip as Oid);
      await succeed(...options, "-C", clone, "fetch", "--quiet");
      assert.equal(await succeed("-C", clone, "rev-parse", "origin/side"), tip);
      await succeed("-C", clone, "fsck", "--connectivity-only");
    }
    repository.run(["update-ref", "-d", "refs/heads/side"]);
  });

  it("offers what it serves", async () => {
    const response = await fetch(`${base}/${RID}.git/info/refs?service=git-upload-pack`, {
      headers: { "git-protocol": "a=b:version=1:version=2:x" },
    });
    const text = await response.text();
    assert.match(text, /^000eversion 2\n.*agent=.*ls-refs=.*fetch=.*filter.*0000$/s);
    assert.doesNotMatch(text, /object-info|bundle-uri/);
  });

  it("answers every wrong request with 400, or with an error that git shows, and logs a line at most", async () => {
    const line = pktLine;
    const fetchOf = (...lines: readonly string[]) => fetching(2, HEAD, lines, [], ["done"]);
    const wrong = (protocol: GitProtocol): readonly (string | Uint8Array<ArrayBuffer>)[] =>
      [
        ...["0002", "0003", "000", "x", "fff1", "ffff", "0004", "0005x", "0000", "0001", "00000000", ""],
        ...[
          "0009done\n",
          `${line("done")}0000`,
          line("done"),
          line(`want ${HEAD}`),
          `${line(`want ${HEAD}`)}0000`,
        ],
        ...[
          "command=nothing",
          "command=object-info",
          "command=bundle-uri",
          "size=1",
          "agent=x",
          "no-such-thing",
        ]
          .flatMap((text) => [`${line(text)}0000`, `${line("command=fetch")}${line(text)}0000`]),
        `${line("command=fetch")}${line("command=ls-refs")}0000`,
        `${line("command=fetch")}${line("object-format=sha256")}00010000`,
        `${line("command=ls-refs")}0001${line(`want ${HEAD}`)}0000`,
        ...[
          "deepen 0",
          "deepen x",
          "deepen -1",
          "deepen 99999999999999999999",
          "deepen-since x",
          "deepen-relative",
        ],
        ...["deepen-since 99999999999", "deepen-not HEAD~1", "deepen-not ..", "deepen-not refs/heads/master"],
        ...[
          "filter x",
          "filter sparse:path=README",
          `filter sparse:oid=${HEAD}`,
          "filter combine:",
          "filter",
        ],
        ...[`filter combine:${"tree:0+".repeat(20)}tree:0`, "filter blob:limit=99999999999999999999"],
        ...["want-ref refs/heads/master", `want ${HEAD}0`, "have x", "shallow x", `shallow ${HEAD} x`],
        fetching(protocol, HEAD, ["deepen 1", "deepen-since 1"], [], ["done"]),
        fetching(protocol, HEAD, ["filter tree:0", "filter tree:1"], [], ["done"]),
        fetchOf("deepen 1").slice(0, -20),
      ].map((text) =>
        /^[a-z]/.test(text) && text !== "x" && text !== "ffff" && text !== "fff1"
          ? fetching(protocol, HEAD, [text], [], ["done"])
          : text
      );
    for (const protocol of PROTOCOLS) {
      for (const body of wrong(protocol)) {
        log.length = 0;
        const { status, text } = await send(body, protocol);
        assert.ok([200, 400, 403, 413].includes(status), `${status} for ${body}: ${text}`);
        assert.ok(log.length <= 1 && !/^error|\n/.test(log.join()), `${body}: ${log.join()}`);
        assert.doesNotMatch(text, /storage/);
      }
    }
    const told = await send(fetchOf("filter sparse:path=x"), 2);
    assert.deepEqual(told, { status: 200, text: pktLine("ERR upload-pack: the request cannot be answered") });
    assert.match(log.at(-1)!, /^warn git refused a request: rad:z3vudAtNFLKr2mxxqMQS742bR7fSg: fatal: /);
  });

  it("refuses very many frames, packed or not, and what is no gzip", async () => {
    const packed = { "content-encoding": "gzip" };
    for (const frame of ["0000", "0001"]) {
      const body = new TextEncoder().encode(frame.repeat(2_600_000));
      for (const protocol of PROTOCOLS) {
        const { status, text } = await send(Uint8Array.from(gzipSync(body)), protocol, packed);
        assert.deepEqual([status, text], [413, "Request body has more than 262144 frames\n"]);
      }
    }
    const good = gzipSync(fetching(0, HEAD, [], [], ["done"]));
    for (const bytes of [good.subarray(0, -10), good.subarray(0, 3), new Uint8Array(20)]) {
      assert.equal((await send(Uint8Array.from(bytes), 0, packed)).status, 400);
    }
    const bomb = Uint8Array.from(gzipSync(new Uint8Array(64 * 1024 * 1024)));
    assert.equal((await send(bomb, 0, packed)).status, 413);
    const followed = Uint8Array.from([...good, 1, 2, 3]);
    assert.ok([200, 400].includes((await send(followed, 0, packed)).status));
  });

  it("starts no process for objects that are not there", async () => {
    let most = 0;
    const watch = setInterval(() => most = Math.max(most, git.running), 0);
    for (const protocol of PROTOCOLS) {
      const { text } = await send(fetching(protocol, ABSENT, [], [], ["done"]), protocol);
      assert.equal(text, pktLine(`ERR upload-pack: not our ref ${ABSENT}`));
    }
    clearInterval(watch);
    assert.equal(most, 0);
  });

  it("answers others while clients do not read their packs, and gives their places on", async () => {
    const put = ["-c", "core.compression=0", "hash-object", "-w", "--stdin"];
    const blob = repository.text(put, noise(LARGE_BYTES)) as Oid;
    repository.setRef("refs/tags/large", blob);
    const body = fetching(2, blob, [], [], ["done"]);
    const wires: Wire[] = [];
    log.length = 0;
    for (let i = 0; i < PACKS; i++) {
      const wire = await open(server.address);
      wires.push(wire);
      wire.send([
        `POST /${RID}.git/git-upload-pack HTTP/1.1`,
        "host: localhost",
        "content-type: application/x-git-upload-pack-request",
        "git-protocol: version=2",
        `content-length: ${body.length}`,
        "",
        body,
      ].join("\r\n"));
      await wire.until("PACK");
      wire.hold();
    }
    await until(() => git.running === PACKS);
    // Lists of references and small packs need no place of theirs.
    const list = await fetch(`${base}/${RID}.git/info/refs?service=git-upload-pack`);
    assert.equal(list.status, 200);
    await list.text();
    assert.match((await send(fetching(2, HEAD, [], [], ["done"]), 2)).text, /PACK/);
    assert.equal(git.running, PACKS);
    // A large one gets the place of a client that takes nothing.
    const { status, text } = await send(body, 2);
    assert.equal(status, 200);
    assert.ok(text.length > LARGE_BYTES);
    for (const wire of wires) wire.leave();
    await until(() => git.running === 0);
    assert.deepEqual(log, []);
    repository.run(["update-ref", "-d", "refs/tags/large"]);
  });
});
