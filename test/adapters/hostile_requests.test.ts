/** The hostile requests of `npm run hostile` are aimed well, and their judge sees what is wrong. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { allExtensions } from "../support/extensions.ts";
import { allRoutes } from "../../src/routes/table.ts";
import { makeIdleHome } from "../hostile/home.ts";
import { readAnswers } from "../hostile/requests/answers.ts";
import { type Conversation, conversationOf } from "../hostile/requests/conversation.ts";
import { bytesOf } from "../hostile/requests/draft.ts";
import type { Heard } from "../hostile/requests/exchange.ts";
import { FIELD_NAMES } from "../hostile/requests/fields.ts";
import { type GoodRequest, goodRequests, lookAround } from "../hostile/requests/good.ts";
import { faultsOf, faultyLines } from "../hostile/requests/oracle.ts";
import { Random } from "../hostile/requests/random.ts";
import { removeFolder, ROOT, temporaryFolder } from "../support/programs.ts";
import type { Address } from "../../adapters/server/address.ts";
import { adapter } from "./this_runtime.ts";
import { ask, open } from "./wire.ts";

/** Reads of header fields, of requests or answers. */
const READS = [/\bheaders\.(?:get|has)\("([^"]+)"/g, /\bheaders\["([^"]+)"\]/g];
/** Reads of fields by names that are not written there: of all of a list that the grammar takes over. */
const READS_BY_LISTS = ["PROXY_FIELDS.some((name) => headers.has(name))"];

describe("header fields of hostile requests", () => {
  const texts = ["src", "extensions", "adapters"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(ROOT, folder, name), "utf8"))
  );

  it("are all those that any code reads", () => {
    const read = texts.flatMap((text) =>
      READS.flatMap((reads) => [...text.matchAll(reads)].map(([, name]) => name!))
    );
    assert.ok(read.includes("git-protocol") && read.includes("host"));
    assert.deepEqual([...new Set(read)].filter((name) => !FIELD_NAMES.includes(name.toLowerCase())), []);
  });

  it("are read by their names", () => {
    const others = texts.flatMap((text) =>
      text.match(/^.*\brequest\.headers\.(?:get|has)\((?!").*$|^.*[({ ]headers\.has\((?!").*$/gm) ?? []
    );
    assert.deepEqual(others.filter((line) => !READS_BY_LISTS.some((known) => line.includes(known))), []);
  });
});

describe("good requests", () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof adapter.serve>>;
  let good: readonly GoodRequest[];
  before(async () => {
    folder = temporaryFolder("good-requests");
    const home = await makeIdleHome(join(folder, "home"));
    server = await adapter.serve({
      home,
      page: true,
      listen: [{ transport: "tcp", hostname: "127.0.0.1", port: 0 }],
    });
    good = goodRequests(await lookAround(home, server.urls[0]!));
  });
  after(async () => {
    await server.close();
    removeFolder(folder);
  });

  it("go to every route", () => {
    const routes = allRoutes({}, allExtensions({ page: true })).map(([method, pattern]) =>
      `${method} ${pattern}`
    );
    const aimed = new Set(good.map(({ endpoint: { method, path } }) => `${method} ${path}`));
    assert.deepEqual(routes.filter((route) => !aimed.has(route)), []);
  });

  it("succeed, except for pushes, the proof of another node, and packs of a bucket", async () => {
    const wrong: string[] = [];
    // The session that they name ends with the last one of them.
    const last = ({ endpoint }: GoodRequest) => endpoint.name === "deleteSession" ? 1 : 0;
    for (const { endpoint, draft } of good.toSorted((a, b) => last(a) - last(b))) {
      const lines = [...draft.lines, "Connection: close"];
      const bytes = bytesOf({ ...draft, lines }, "mark", new Random(1));
      const text = endpoint.path.endsWith("/events")
        ? await askLasting(server.addresses[0]!, bytes)
        : await ask(server.addresses[0]!, bytes);
      const status = readAnswers(text).answers[0]?.status ?? 0;
      const { name, answers } = endpoint;
      const expected = Object.keys(answers).length === 0 ? [403] : name === "authorizeSession"
        ? [401]
        // Only replicas have the packs of the bucket.
        : /PackFiles?$/.test(name)
        ? [404]
        : [200, 201];
      if (!expected.includes(status)) {
        wrong.push(`${name} ${draft.method} ${draft.target}: ${text.slice(0, 500)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("are changed in the same way for the same seed", () => {
    const first = conversationOf(1, 2, good);
    assert.deepEqual(conversationOf(1, 2, good), first);
    assert.notDeepEqual(conversationOf(1, 3, good).pieces, first.pieces);
  });
});

/** The beginning of an answer that lasts until its client leaves. */
async function askLasting(address: Address, bytes: string): Promise<string> {
  const wire = await open(address);
  wire.send(bytes);
  const text = await wire.until("retry: ");
  wire.leave();
  return text;
}

describe("answers on a connection", () => {
  const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab";

  it("are read by their lengths and chunks", () => {
    const chunked = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ncde\r\n0\r\n\r\n";
    const text = `HTTP/1.1 100 Continue\r\n\r\n${ANSWER}${chunked}${ANSWER}HTTP/1.1 204 \r\n\r\n${
      ANSWER.slice(0, -1)
    }`;
    const { answers, rest } = readAnswers(text);
    assert.deepEqual(answers.map(({ status, body }) => [status, body]), [
      [200, "ab"],
      [404, "cde"],
      [200, "ab"],
      [204, ""],
      [200, "a"],
    ]);
    assert.deepEqual([answers.at(-1)!.isWhole, rest], [false, ""]);
  });

  it("have no body when HEAD was asked", () => {
    const text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + ANSWER;
    assert.deepEqual(readAnswers(text, 0).answers.map(({ body }) => body), ["", "ab"]);
  });

  it("do not hide what is no answer", () => {
    assert.equal(readAnswers(`${ANSWER}cd`).rest, "cd");
  });
});

describe("the judge of hostile requests", () => {
  const conversation: Conversation = {
    seed: 1,
    number: 7,
    kind: "changed",
    pieces: [],
    ending: "wait",
    led: 1,
    isFollowed: true,
    isHead: false,
    isPreface: false,
    isOld: false,
  };
  const answer = (status: number, body: string) =>
    `HTTP/1.1 ${status} \r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const judge = (text: string, end: Heard["end"] = "closed") =>
    faultsOf(conversation, { text, end, startMs: 0, ms: 0 }, { isProxied: false });

  it("accepts answers in their order, and a refusal", () => {
    assert.deepEqual(judge(answer(404, "~7x00") + answer(404, "~7x50") + answer(404, "~7x99")), []);
    assert.deepEqual(judge(answer(404, "~7x00") + answer(503, "")), []);
  });

  for (
    const [what, text, end] of [
      ["an answer to somebody else", answer(404, "~7x00") + answer(404, "~8x50"), "closed"],
      [
        "answers in another order",
        answer(404, "~7x00") + answer(404, "~7x99") + answer(404, "~7x50"),
        "closed",
      ],
      ["an answer to a hidden request", answer(404, "~7x00") + answer(404, "~7xss"), "closed"],
      ["a refusal in the place of another answer", answer(400, ""), "closed"],
      ["no answer at all", "", "closed"],
      ["a fault", answer(404, "~7x00") + answer(500, ""), "closed"],
      ["a stack", answer(404, "~7x00") + answer(400, "Error\n    at f (/a/b.ts:1:2)"), "closed"],
      ["a path of the machine", answer(404, "~7x00") + answer(404, `No ${ROOT}`), "closed"],
      ["bytes beyond an answer", `${answer(404, "~7x00")}bytes`, "closed"],
      ["a connection that hangs", answer(404, "~7x00"), "hangs"],
    ] as const
  ) {
    it(`sees ${what}`, () => assert.equal(judge(text, end).length, 1));
  }

  it("sees uncaught errors and stacks in a log", () => {
    const lines = [
      "2026-11-23T00:00:00.000Z error Request failed: TypeError: a at f (file:///a/b.ts:1:2) at g (/b.ts:3:4)",
      "2026-11-23T00:00:00.000Z error Unhandled rejection: a",
      "Uncaught (in promise) Error: a",
    ];
    assert.deepEqual(faultyLines(lines.join("\n")), lines);
    assert.deepEqual(faultyLines("2026-11-23T00:00:00.000Z warn Cannot accept a connection: at once\n"), []);
  });
});
