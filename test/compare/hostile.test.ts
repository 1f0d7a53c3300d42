/**
 * Comparisons with services that hang, lie, flood or send nonsense: each ends, and no byte of an answer controls
 * the terminal.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";
import {
  answer,
  type Behaviour,
  flood,
  type HostileService,
  startHostileService,
} from "./hostile_service.ts";
import { type Outcome, runCompare } from "./tool.ts";

const ROOT = JSON.stringify({
  service: "radicle-httpd",
  version: "\u001b[2J\u009b\u202e",
  nid: "z6MksPykuQeYh4zgthFRFBExrgo1dwFWWenY2TEJ9SvT9jn1",
  links: [{ href: "/projects" }, { href: "/repos" }],
});
const RID = "rad:z2qxCeY3PX9fyxXkzqtreR3CCTdGT";
const SHA = "ab86a2fc45b8c852f1b6d55130d0f78d45998c67";
const REQUESTS = 60;
/** Bytes of an answer of 8 MiB, and of the buffers on its way. */
const MAX_SENT_BYTES = 32 * 2 ** 20;

const BOMB = gzipSync(new Uint8Array(2 ** 27).fill(0x20));

const folder = temporaryFolder("hostile-compare");
let home: string;
before(() => home = unpackHome("today/ten-collab.tar.gz", folder));
after(() => removeFolder(folder));

/** Says who it is, and does something else with all other requests. */
const rooted = (behave: Behaviour): Behaviour => (path, socket) =>
  path === "/api/v1" ? answer(socket, ROOT) : behave(path, socket);

/** As {@link rooted}, at the first request alone. */
const rootedOnce = (behave: Behaviour): Behaviour => {
  let isKnown = false;
  return (path, socket) => {
    if (isKnown) return behave(path, socket);
    isKnown = true;
    answer(socket, ROOT);
  };
};

interface Case {
  readonly name: string;
  readonly behave: Behaviour;
  readonly status: number;
  /** In what it prints, to standard output or error. */
  readonly says: RegExp;
  /** Requests that it sends at most. */
  readonly atMost?: number;
}

const chunked = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n";

const CASES: readonly Case[] = [
  {
    name: "accepts and says nothing",
    behave: () => {},
    status: 2,
    says: /^compare: Cannot ask http:\/\/127\.0\.0\.1:\d+: no answer within 1 s$/m,
    atMost: 1,
  },
  {
    name: "stops answering",
    behave: rootedOnce(() => {}),
    status: 2,
    says: /it stopped answering: no answer within 1 s/,
    atMost: 6,
  },
  {
    name: "sends a head and no body",
    behave: rootedOnce((_, socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n")),
    status: 2,
    says: /it stopped answering: no answer within 1 s/,
    atMost: 6,
  },
  {
    name: "closes connections halfway",
    behave: rooted((_, socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")),
    status: 2,
    says: /it stopped answering/,
    atMost: 28,
  },
  {
    name: "is another program",
    behave: (_, socket) => answer(socket, "<html>"),
    status: 2,
    says: /it is not a radicle-httpd/,
    atMost: 1,
  },
  {
    name: "sends bytes that are no HTTP",
    behave: (_, socket) => socket.end(new Uint8Array(4096).map((_, i) => i)),
    status: 2,
    says: /^compare: Cannot ask /m,
  },
  {
    name: "announces too much",
    behave: rooted((_, socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 40}\r\n\r\n[`)),
    status: 2,
    says: /an answer of more than 8388608 bytes/,
    atMost: 14,
  },
  {
    name: "floods",
    behave: rooted((path, socket) => {
      if (path !== "/api") return answer(socket, "[]");
      socket.write(`${chunked}\r\n`);
      flood(socket, new Uint8Array(65_536).fill(0x20));
    }),
    status: 1,
    says: /there an answer of more than 8388608 bytes/,
  },
  {
    name: "sends what unpacks to very much",
    behave: rooted((path, socket) =>
      path === "/api" ? answer(socket, BOMB, "content-encoding: gzip\r\n") : answer(socket, "[]")
    ),
    status: 1,
    says: /there an answer of more than 8388608 bytes/,
  },
  {
    name: "nests without end",
    behave: rooted((_, socket) => answer(socket, "[".repeat(2 ** 20))),
    status: 2,
    says: /it has more than 64 levels of nesting/,
  },
  {
    name: "sends very many values",
    behave: rooted((path, socket) =>
      path === "/api" ? answer(socket, `[${"0,".repeat(2_000_000)}0]`) : answer(socket, "[]")
    ),
    status: 1,
    says: /it has more than 1000000 values/,
  },
  {
    name: "redirects",
    behave: rooted((_, socket) => answer(socket, "", "location: http://127.0.0.1:1/\r\n", "302 Found")),
    status: 1,
    says: /there status 302, here status 200/,
  },
  {
    name: "names what must not become a path, or a text of a terminal",
    behave: rooted((path, socket) => {
      const repository = (id: string) => ({ id, rid: id, head: SHA, delegates: ["did:key:z6Mk\n"] });
      if (/\/(?:projects|repos)\?/.test(path)) {
        const ids = ["../../x", `${RID}\u0000`, "rad:z?a=b#c", RID];
        return answer(socket, JSON.stringify([...ids.map(repository), null, 1, [], { id: {} }]));
      }
      if (path.includes("/tree/")) {
        const paths = ["../../etc", "a/../b", ".", "", "a//b", "\ud800", "x".repeat(5000), "a b?#\u001b"];
        const entries = paths.flatMap((path) => ["tree", "blob"].map((kind) => ({ path, kind })));
        return answer(socket, JSON.stringify({ entries, "__proto__": 1, "\u001b]0;x\u0007": "\u009b31m" }));
      }
      if (path.includes("/commits?")) {
        return answer(socket, JSON.stringify([{ id: "HEAD", parents: ["x"] }, { id: SHA, parents: [{}] }]));
      }
      answer(socket, `{"__proto__": {"a": 1}, "constructor": 2, "toString": "\\u001b[2J\\u2028"}`);
    }),
    status: 1,
    says: /toString: there "\\u\{1b\}\[2J\\u\{2028\}", here nothing/,
  },
  {
    name: "lists very much",
    behave: rooted((path, socket) => {
      const many = Array.from({ length: 50_000 }, () => ({ id: RID, rid: RID, head: SHA }));
      answer(socket, path.includes("?show=") ? JSON.stringify(many) : "[]");
    }),
    status: 1,
    says: /the answer: there a list of 50000, here/,
  },
];

describe("a comparison with a service that", () => {
  for (const { name, behave, status, says, atMost = REQUESTS + 1 } of CASES) {
    it(name, async () => {
      const service = await startHostileService(behave);
      let outcome: Outcome;
      try {
        outcome = await runCompare(
          [service.url, "--home", home, "--requests", `${REQUESTS}`, "--seconds", "1"],
        );
        assertBounded(service, atMost);
      } finally {
        await service.close();
      }
      assert.equal(outcome.status, status, outcome.stdout + outcome.stderr);
      assert.match(outcome.stdout + outcome.stderr, says);
      // The report also has what was compared before.
      if (/stopped/.test(says.source)) assert.match(outcome.stdout, /^\d+ answers: /m);
      assert.doesNotMatch((outcome.stdout + outcome.stderr).replaceAll("\n", ""), /[\p{C}\p{Zl}\p{Zp}]/u);
    });
  }
});

/** It has asked for well-formed paths of the interface alone, and not for more than it may. */
function assertBounded({ asked, sentBytes }: HostileService, atMost: number): void {
  assert.ok(asked.length <= atMost, `${asked.length} requests`);
  assert.ok(sentBytes() <= MAX_SENT_BYTES, `${sentBytes()} bytes`);
  for (const line of asked) {
    assert.match(line, /^GET \/(?:api(?:\/v1(?:\/[\w:.~%*'()!@-]+)*\/?(?:\?[\w&=]+)?)?)? HTTP\/1\.1$/);
    assert.doesNotMatch(line, /\/\.{1,2}[/ ]|%00|\/\/|etc/);
  }
}
