/** The operation of a service: for whom a request counts, and when clients that cannot be told apart are refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BURST_SECONDS, REQUEST_MS, TOGETHER_FACTOR } from "../../../adapters/operation/client_share.ts";
import { Operation, type OperationOptions } from "../../../adapters/operation/operation.ts";
import type { ServiceFigures } from "../../../adapters/server/operator.ts";
import type { Client } from "../../../mod.ts";
import { ClientClaims } from "../../../extensions/replicas/origin/client_claim.ts";

const KEY = "a key of the tests, of more than 32 characters";
const STRANGER: Client = { transport: "tcp", address: "192.0.2.7" };
const PROXY: Client = { transport: "tcp", address: "127.0.0.1" };
const BEHIND_PROXY = { behindProxy: true, addressField: "x-real-ip" };
/** Fields that anybody can send; none of them names the client. */
const FORGED: readonly Readonly<Record<string, string>>[] = [
  { via: "1.0 x" },
  { via: "1.1 xylem-replica" },
  { forwarded: "for=192.0.2.9" },
  { "x-forwarded-for": "192.0.2.9" },
  { "x-real-ip": "192.0.2.9" },
  { via: "1.1 xylem-replica", "xylem-client-address": "192.0.2.9" },
  { via: "1.1 xylem-replica", "xylem-client-address": `192.0.2.9 1 ${"a".repeat(16)} ${"0".repeat(64)}` },
];

/** An operation that bounds each client to one request a second, and how its clients ask. */
function operate(options: OperationOptions = {}, figures: ServiceFigures = { waiting: 1 }) {
  const operation = new Operation({ shareRate: 1, ...options });
  operation.wrap(() => new Response(), {
    unreadiness: () => Promise.resolve(undefined),
    figures: () => figures,
  });
  const begin = (client: Client | undefined, fields: Readonly<Record<string, string>> = {}) => {
    const request = new Request("http://localhost/raw/x/head/y", { headers: fields });
    operation.begin(request, client, { rawHeaders: Object.entries(fields).flat() });
    return request;
  };
  const isTaken = (client: Client | undefined, fields?: Readonly<Record<string, string>>) =>
    operation.share.take(begin(client, fields)) === undefined;
  /** How many requests of a client are taken until one is refused. */
  const useUp = (client: Client | undefined, fields?: Readonly<Record<string, string>>, most = 5000) => {
    let taken = 0;
    while (taken < most && isTaken(client, fields)) taken++;
    return taken;
  };
  return { operation, begin, isTaken, useUp };
}

/** Whether a number is that of a share; a slow machine gives a little more. */
const isShare = (taken: number, factor = 1) =>
  taken >= factor * BURST_SECONDS && taken < factor * (BURST_SECONDS + 10);

describe("the client for which a request counts", () => {
  it("is the client of the socket, whatever header fields and the form of the target are", () => {
    const { isTaken, useUp, operation, begin } = operate();
    assert.ok(isShare(useUp(STRANGER)));
    for (const fields of FORGED) {
      assert.equal(operation.addressOf(begin(STRANGER, fields)), "192.0.2.7");
      assert.ok(useUp(STRANGER, fields) < 5, JSON.stringify(fields));
    }
    assert.ok(useUp({ ...STRANGER, isForwarded: true }) < 5);
    // None of them has used what others have.
    assert.ok(isTaken({ transport: "tcp", address: "192.0.2.9" }));
    assert.ok(isTaken(PROXY));
  });

  it("comes from the field of the proxy, whatever other fields say", () => {
    const { useUp } = operate(BEHIND_PROXY);
    const of = (address: string) => ({ "x-real-ip": address });
    assert.ok(isShare(useUp(PROXY, of("192.0.2.1"))));
    for (const fields of FORGED) {
      assert.ok(useUp(PROXY, { ...fields, ...of("192.0.2.1") }) < 5, JSON.stringify(fields));
    }
    assert.ok(isShare(useUp(PROXY, of("192.0.2.2"))));
  });

  it("is that which a replica names with the key, once for each claim", () => {
    for (const options of [{}, BEHIND_PROXY]) {
      const { operation, begin, useUp } = operate({ ...options, claims: new ClientClaims(KEY) });
      const replica = new ClientClaims(KEY);
      const from = (address: string | undefined) => ({ "xylem-client-address": replica.sign(address) });
      const claim = from("192.0.2.1");
      const address = "addressField" in options ? "127.0.0.1" : "192.0.2.7";
      const socket: Client = { transport: "tcp", address };
      assert.equal(operation.addressOf(begin(socket, claim)), "192.0.2.1");
      assert.equal(operation.addressOf(begin(socket, claim)), address);
      assert.equal(operation.addressOf(begin(socket, from(undefined))), undefined);
      // Of another replica, and without the key.
      for (const key of [`${KEY} 2`, undefined]) {
        const { operation, begin } = operate({
          ...options,
          ...key && { claims: new ClientClaims(key) },
        });
        const claimed = { via: "1.1 xylem-replica", ...from("192.0.2.1") };
        assert.equal(operation.addressOf(begin(socket, claimed)), address);
      }
      let taken = 0;
      while (operation.share.take(begin(socket, from("192.0.2.3"))) === undefined) taken++;
      assert.ok(isShare(taken), `${taken}`);
      assert.ok(isShare(useUp(socket)));
    }
  });

  it("pays for its answers, and no other client does", () => {
    const { operation, begin, isTaken } = operate();
    const request = begin(STRANGER);
    assert.equal(operation.share.take(request), undefined);
    operation.share.charge!(request, 2 * BURST_SECONDS * REQUEST_MS);
    const wait = operation.share.take(begin(STRANGER))!;
    assert.ok(wait > BURST_SECONDS && wait <= BURST_SECONDS + 2, `${wait}`);
    assert.ok(isTaken({ transport: "tcp", address: "192.0.2.8" }));
  });
});

describe("the share of clients without an address", () => {
  const TOGETHER = [PROXY, { transport: "unix" }, undefined] as const;

  it("is bounded while work waits in a queue", () => {
    const busy: ServiceFigures[] = [
      { waiting: 1 },
      { workers: { running: 2, waiting: 1, ended: 0, seconds: 0 } },
      { git: { running: 4, waiting: 1 } },
    ];
    for (const figures of busy) {
      const { useUp } = operate({ behindProxy: true }, figures);
      assert.ok(isShare(useUp(PROXY), TOGETHER_FACTOR));
      for (const client of TOGETHER) assert.ok(useUp(client) < 50);
    }
  });

  it("has no bound while no work waits and the thread is not late", async () => {
    const { isTaken, useUp } = operate({ behindProxy: true }, {});
    let refused = 0;
    for (let i = 0; i < 3 * TOGETHER_FACTOR * BURST_SECONDS; i++) {
      if (!isTaken(TOGETHER[i % 3])) refused++;
      // Lets the timer fire that shows whether the thread is late; with other work the machine may be.
      await new Promise((resume) => setTimeout(resume, 0));
    }
    assert.ok(refused < BURST_SECONDS, `${refused}`);
    // As long as no timer can fire.
    const endMs = performance.now() + 120;
    while (performance.now() < endMs);
    assert.ok(useUp(PROXY) < 5000);
    const { useUp: useUpDirectly } = operate({}, {});
    assert.ok(isShare(useUpDirectly(STRANGER)), "a client that is known has its share alone");
  });
});
