/** What replicas say of their clients: which claims count. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CLAIM_MS, ClientClaims, MAX_CLAIMS } from "../../../../extensions/replicas/origin/client_claim.ts";

const KEY = "a key of the tests, of more than 32 characters";

function create(key = KEY) {
  const clock = { nowMs: 1_673_100_000_000 };
  return { clock, claims: new ClientClaims(key, () => clock.nowMs) };
}

describe("the claim of a replica", () => {
  it("counts with the key, once", () => {
    const { claims } = create();
    const cases = [
      ["192.0.2.7", "192.0.2.7"],
      ["2001:db8::1", "2001:db8::1"],
      ["::ffff:192.0.2.7", "192.0.2.7"],
      ["fe80::1%eth0", "fe80::1"],
      [undefined, undefined],
      ["", undefined],
      ["no address\r\n", undefined],
      ["1".repeat(9000), undefined],
    ] as const;
    for (const [given, address] of cases) {
      const claim = create().claims.sign(given);
      assert.deepEqual(claims.verify(claim), { address });
      assert.equal(claims.verify(claim), undefined);
    }
  });

  it("counts for nothing without the key, for another address or time, and with anything more", () => {
    const { claims } = create();
    const claim = claims.sign("192.0.2.7");
    const [address, time, nonce, signature] = claim.split(" ");
    const others = [
      "",
      "192.0.2.7",
      "-",
      claim.replace("192.0.2.7", "192.0.2.8"),
      claim.replace("192.0.2.7", "-"),
      `${address} ${Number(time) + 1} ${nonce} ${signature}`,
      `${address} ${time} ${"a".repeat(16)} ${signature}`,
      `${address} ${time} ${nonce} ${"0".repeat(64)}`,
      `${address} ${time} ${nonce}`,
      ` ${claim}`,
      `${claim} `,
      `${claim}, ${claim}`,
      `${"1".repeat(9000)} ${claim}`,
      create("another key of the tests, of 32 characters").claims.sign("192.0.2.7"),
    ];
    for (const other of others) assert.equal(claims.verify(other), undefined, other.slice(0, 99));
    assert.deepEqual(claims.verify(claim), { address });
  });

  it("counts for a minute, by clocks that differ by no more", () => {
    for (const [laterMs, isGood] of [[CLAIM_MS, true], [CLAIM_MS + 1, false]] as const) {
      for (const direction of [1, -1]) {
        const { clock, claims } = create();
        const claim = claims.sign("192.0.2.7");
        clock.nowMs += direction * laterMs;
        assert.equal(claims.verify(claim) !== undefined, isGood, `${direction * laterMs}`);
      }
    }
  });

  it("is remembered for as long as it could count", () => {
    const { clock, claims } = create();
    clock.nowMs += CLAIM_MS;
    const early = claims.sign("192.0.2.7");
    clock.nowMs -= CLAIM_MS;
    assert.ok(claims.verify(early));
    clock.nowMs += 2 * CLAIM_MS - 1;
    assert.ok(claims.verify(claims.sign("192.0.2.8")));
    assert.equal(claims.verify(early), undefined);
  });

  it("needs a key that cannot be guessed", () => {
    assert.throws(() => new ClientClaims("short"), TypeError);
    assert.ok(MAX_CLAIMS >= 100_000);
  });
});
