/** Only exactly recognized clients are known; everything else that a host may pass is a stranger, without an error. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NODE_OWNER, recognizeClient } from "../../src/http/privilege.ts";

describe("recognizeClient", () => {
  it("takes the ends of TCP and Unix sockets, and the owner that a host vouches for", () => {
    assert.deepEqual(recognizeClient({ transport: "tcp", address: "::1" }), {
      transport: "tcp",
      address: "::1",
    });
    assert.deepEqual(recognizeClient({ transport: "unix" }), { transport: "unix" });
    assert.equal(recognizeClient(NODE_OWNER), NODE_OWNER);
  });

  const strangers: [name: string, value: unknown][] = [
    ["nothing", undefined],
    ["null", null],
    ["an empty object", {}],
    ["a route context", { params: {} }],
    ["what Deno.serve passes", {
      remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
      completed: Promise.resolve(),
    }],
    ["an address of Deno", { transport: "tcp", hostname: "127.0.0.1", port: 1 }],
    ["an execution context", { waitUntil() {}, passThroughOnException() {} }],
    ["a text", "unix"],
    ["a number", 1],
    ["a function", () => ({ transport: "unix" })],
    ["an array", ["unix"]],
    ["another transport", { transport: "udp", address: "127.0.0.1" }],
    ["TCP without an address", { transport: "tcp" }],
    ["an address that is no text", { transport: "tcp", address: { toString: () => "127.0.0.1" } }],
    ["more than a client", { transport: "unix", path: "/run/x" }],
    ["a hidden member more", { transport: "unix", [Symbol("x")]: 1 }],
    ["an environment that happens to name a transport", { transport: "unix", address: "127.0.0.1" }],
    ["inherited members", Object.create({ transport: "unix" })],
    ["a copy of the vouched owner", { ...NODE_OWNER }],
    [
      "an object that cannot be read",
      Object.defineProperty({}, "transport", {
        enumerable: true,
        get: () => assert.fail("read"),
      }),
    ],
    ["a proxy that cannot be read", new Proxy({}, { ownKeys: () => assert.fail("read") })],
  ];
  for (const [name, value] of strangers) {
    it(`does not take ${name}`, () => assert.equal(recognizeClient(value), undefined));
  }
});
