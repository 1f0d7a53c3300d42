/** The client for which a request counts: by its address, as the host tells it, and by nothing else. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientKey, ownAddress } from "../../src/http/client_key.ts";
import { TOGETHER } from "../../src/scheduling/limiter.ts";

describe("the key of a client", () => {
  it("distinguishes IPv4 addresses, and IPv6 addresses by their first 64 bits", () => {
    assert.equal(clientKey("192.0.2.7"), "192.0.2.7");
    assert.equal(clientKey("::ffff:192.0.2.7"), "192.0.2.7");
    assert.equal(clientKey("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2");
    assert.equal(clientKey("2001:DB8::6"), "2001:db8:0:0");
    assert.equal(clientKey("2001:db8:1:2::6"), clientKey("2001:db8:1:2::7"));
    assert.notEqual(clientKey("2001:db8:1:2::6"), clientKey("2001:db8:1:3::6"));
    assert.equal(clientKey("::1"), "0:0:0:0");
    assert.equal(clientKey("fe80::1%eth0"), "fe80:0:0:0");
    assert.ok(clientKey("x".repeat(9000)).length <= 45);
  });

  it("is the same for all clients without an address", () => {
    assert.equal(clientKey(undefined), TOGETHER);
    assert.equal(ownAddress({ transport: "tcp", address: "192.0.2.7" }, false), "192.0.2.7");
    assert.equal(ownAddress({ transport: "tcp", address: "192.0.2.7" }, true), undefined);
    assert.equal(ownAddress({ transport: "unix" }, false), undefined);
    assert.equal(ownAddress(undefined, false), undefined);
    // A proxy on this machine may have connected.
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      assert.equal(ownAddress({ transport: "tcp", address }, false), undefined);
    }
  });
});
