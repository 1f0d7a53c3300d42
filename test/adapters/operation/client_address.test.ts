/** Addresses of clients behind a proxy: which count. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientAddress, fieldName } from "../../../adapters/operation/client_share.ts";

const PROXY = { transport: "tcp", address: "::ffff:10.0.0.1" } as const;
const head = (...values: string[]) => ({ rawHeaders: values.flatMap((value) => ["X-Real-IP", value]) });
const addressOf = (...values: string[]) => clientAddress(head(...values), PROXY, "x-real-ip");

describe("the address of a client", () => {
  it("is that in the field of the proxy, in its shortest form", () => {
    for (
      const [given, expected] of [
        ["192.0.2.7", "192.0.2.7"],
        [" 192.0.2.7 ", "192.0.2.7"],
        ["2001:DB8:0:0::1", "2001:db8::1"],
        ["::ffff:192.0.2.7", "192.0.2.7"],
        ["64:ff9b::192.0.2.7", "64:ff9b::c000:207"],
        ["127.0.0.1, 192.0.2.7", "192.0.2.7"],
        [`${"a,".repeat(5000)}192.0.2.7`, "192.0.2.7"],
      ]
    ) assert.equal(addressOf(given!), expected, given!.slice(0, 50));
  });

  it("comes from the socket when the field is missing", () => {
    const forged = [
      "",
      "unknown",
      "192.0.2.7:80",
      "[::1]",
      "192.0.2",
      "192.0.2.7,",
      "fe80::1%eth0",
      "1".repeat(9000),
    ];
    for (const value of forged) assert.equal(addressOf(value), "10.0.0.1", value.slice(0, 50));
    assert.equal(addressOf(), "10.0.0.1");
    assert.equal(addressOf("192.0.2.7", "192.0.2.8"), "10.0.0.1");
    assert.equal(clientAddress(head("x"), { transport: "unix" }, "x-real-ip"), undefined);
  });

  it("is in a field that has a name", () => {
    assert.equal(fieldName("X-Real-IP"), "x-real-ip");
    for (const text of ["", "a b", "a:", "é", "a".repeat(65)]) assert.equal(fieldName(text), undefined, text);
  });
});
