/** Consistency tokens: which count, which do not, and which answers have one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RepoId } from "../../../../src/ids/rid.ts";
import { isFromReplica } from "../../../../extensions/replicas/origin/forwarded_head.ts";
import {
  CONSISTENCY_TOKEN_FIELD,
  type ConsistencyToken,
  hasReached,
  MAX_TOKEN_LENGTH,
  parseToken,
  stateDigest,
  TOKEN_CLOCK_SKEW_MS,
  TOKEN_LIFETIME_MS,
  TokenSigner,
} from "../../../../extensions/replicas/origin/consistency_token.ts";
import { MIN_TOKEN_KEY_LENGTH } from "../../../../extensions/replicas/origin/token_key.ts";
import { createChangeApi } from "../../../routes/change_api.ts";
import { Task } from "../../../../src/scheduling/task.ts";

const RID = "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5" as RepoId;
const OTHER = "rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx" as RepoId;
const NOW_MS = 1_673_100_000_000;
const KEY = "k".repeat(MIN_TOKEN_KEY_LENGTH);
const TOKEN: ConsistencyToken = { rid: RID, digest: "a".repeat(32), atMs: NOW_MS };
const signer = new TokenSigner(KEY);

describe("a published state", () => {
  it("has reached a token with its digest, whenever it was read", () => {
    assert.equal(hasReached({ digest: TOKEN.digest, readAtMs: 0 }, TOKEN), true);
    assert.equal(hasReached({ digest: "b".repeat(32), readAtMs: NOW_MS }, TOKEN), false);
  });

  it("has reached a token when it was read later, though other changes followed", () => {
    assert.equal(hasReached({ digest: "b".repeat(32), readAtMs: NOW_MS + 1 }, TOKEN), true);
  });
});

describe("a consistency token", () => {
  const text = signer.sign(TOKEN);

  it("counts for its repository, with the key that has signed it", () => {
    assert.deepEqual(signer.verify(text, RID, NOW_MS), TOKEN);
    assert.ok(text.length <= MAX_TOKEN_LENGTH);
    assert.equal(signer.verify(text, OTHER, NOW_MS), undefined);
    assert.equal(new TokenSigner(`${KEY}2`).verify(text, RID, NOW_MS), undefined);
    assert.equal(new TokenSigner(undefined).verify(text, RID, NOW_MS), undefined);
  });

  it("counts for ten minutes, and not before its time", () => {
    const isGood = (nowMs: number) => signer.verify(text, RID, nowMs) !== undefined;
    assert.equal(TOKEN_LIFETIME_MS, 600_000);
    assert.equal(isGood(NOW_MS + TOKEN_LIFETIME_MS - 1), true);
    assert.equal(isGood(NOW_MS + TOKEN_LIFETIME_MS), false);
    assert.equal(isGood(NOW_MS - TOKEN_CLOCK_SKEW_MS), true);
    assert.equal(isGood(NOW_MS - TOKEN_CLOCK_SKEW_MS - 1), false);
  });

  it("counts for nothing when it is forged, cut, long, repeated or written otherwise", () => {
    const [id, digest, at, signature] = text.split(".");
    const unsigned = new TokenSigner(undefined).sign(TOKEN);
    const strange = [
      null,
      "",
      RID,
      unsigned,
      unsigned.slice(0, -1),
      `${text}, ${text}`,
      `${text},`,
      ` ${text}`,
      text.toUpperCase(),
      `rad:${text}`,
      `${id}.${"b".repeat(32)}.${at}.${signature}`,
      `${OTHER.slice(4)}.${digest}.${at}.${signature}`,
      `${id}.${digest}.${NOW_MS + 1}.${signature}`,
      `${id}.${digest}.0${at}.${signature}`,
      `${id}.${digest}.-1.${signature}`,
      `${id}.${digest}.${at}.${"0".repeat(64)}`,
      `${id}.${digest}.${at}.${signature}${"0".repeat(20_000)}`,
      `z${"1".repeat(180)}.${digest}.${at}.`,
      "z".repeat(1_000_000),
      ...Array.from(text, (_, end) => text.slice(0, end)),
      ...Array.from(
        text,
        (character, at) => text.slice(0, at) + (character === "1" ? "2" : "1") + text.slice(at + 1),
      ),
    ];
    for (const wrong of strange) assert.equal(signer.verify(wrong, RID, NOW_MS), undefined, `${wrong}`);
  });

  it("is read by a replica that gets it from its origin, signed or not", () => {
    assert.deepEqual(parseToken(text), TOKEN);
    assert.deepEqual(parseToken(new TokenSigner(undefined).sign(TOKEN)), TOKEN);
    for (const wrong of [null, undefined, "", RID, `${text} `]) assert.equal(parseToken(wrong), undefined);
  });

  it("needs a key that cannot be guessed", () => {
    assert.throws(() => new TokenSigner("k".repeat(MIN_TOKEN_KEY_LENGTH - 1)), TypeError);
    assert.throws(() => new TokenSigner(""), TypeError);
  });
});

describe("the token of an answer", () => {
  const ISSUE = { title: "One", description: "", labels: [], assignees: [], embeds: [] };

  it("names the state after a change that a replica has passed on", async () => {
    const { send, token, world } = await createChangeApi();
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const direct = await send("POST", "/issues", ISSUE, { headers });
    assert.equal(direct.headers.get(CONSISTENCY_TOKEN_FIELD), null);
    const before = await stateDigest(world.hello, new Task());
    const forwarded = { ...headers, via: "1.1 xylem-replica" };
    const answer = await send("POST", "/issues", { ...ISSUE, title: "Two" }, { headers: forwarded });
    assert.equal(answer.status, 201);
    const named = parseToken(answer.headers.get(CONSISTENCY_TOKEN_FIELD));
    const after = await stateDigest(world.hello, new Task());
    assert.notEqual(before, after);
    assert.deepEqual(named, { rid: world.helloRid, digest: after, atMs: NOW_MS });
    const refused = await send("POST", "/issues", { ...ISSUE, title: 1 }, { headers: forwarded });
    assert.equal(refused.headers.get(CONSISTENCY_TOKEN_FIELD), null);
  });

  it("names the state of a read that a replica has passed on for its token, and of no other read", async () => {
    const { send, world } = await createChangeApi();
    const via = "1.1 xylem-replica";
    const tokenOf = async (headers: Record<string, string>) =>
      parseToken((await send("GET", "/issues", undefined, { headers })).headers.get(CONSISTENCY_TOKEN_FIELD));
    const expected = {
      rid: world.helloRid,
      digest: await stateDigest(world.hello, new Task()),
      atMs: NOW_MS,
    };
    assert.deepEqual(await tokenOf({ via, [CONSISTENCY_TOKEN_FIELD]: "any" }), expected);
    assert.equal(await tokenOf({ via }), undefined);
    assert.equal(await tokenOf({ [CONSISTENCY_TOKEN_FIELD]: "any" }), undefined);
  });

  it("is signed, and on every change, where there is a key", async () => {
    const { send, token, world } = await createChangeApi({ tokenKey: KEY });
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const answer = await send("POST", "/issues", ISSUE, { headers });
    const named = signer.verify(answer.headers.get(CONSISTENCY_TOKEN_FIELD), world.helloRid, NOW_MS);
    assert.equal(named?.digest, await stateDigest(world.hello, new Task()));
  });

  it("is the same with and without hidden references, which are not published", async () => {
    const { world } = await createChangeApi();
    const before = await stateDigest(world.hello, new Task());
    const oid = world.hello.refs("refs/heads/")[0]!.oid!;
    world.hello.setRef("refs/drafts/review", oid);
    assert.equal(await stateDigest(world.hello, new Task()), before);
    world.hello.setRef("refs/heads/another", oid);
    assert.notEqual(await stateDigest(world.hello, new Task()), before);
  });

  it("is asked for by the name of a replica anywhere in Via", () => {
    const from = (via: string) => isFromReplica(new Request("http://localhost/", { headers: { via } }));
    assert.equal(from("1.1 xylem-replica"), true);
    assert.equal(from("HTTP/2 xylem-replica, 1.1 haproxy"), true);
    assert.equal(from("1.1 proxy (xylem-replica)"), false);
    assert.equal(isFromReplica(new Request("http://localhost/")), false);
  });
});
