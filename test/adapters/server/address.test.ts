/** Addresses as text. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Address, formatAddress, parseAddress } from "../../../adapters/server/address.ts";

const tcp = (hostname: string, port: number): Address => ({ transport: "tcp", hostname, port });

describe("addresses", () => {
  const known: [string, Address, string][] = [
    ["127.0.0.1:8080", tcp("127.0.0.1", 8080), "http://127.0.0.1:8080"],
    ["0.0.0.0:0", tcp("0.0.0.0", 0), "http://0.0.0.0:0"],
    ["localhost:65535", tcp("localhost", 65535), "http://localhost:65535"],
    ["[::1]:80", tcp("::1", 80), "http://[::1]:80"],
    ["[::]:80", tcp("::", 80), "http://[::]:80"],
    ["[::ffff:127.0.0.1]:80", tcp("::ffff:127.0.0.1", 80), "http://[::ffff:127.0.0.1]:80"],
    ["[fe80::1%eth0]:80", tcp("fe80::1%eth0", 80), "http://[fe80::1%eth0]:80"],
    ["unix:/run/x.sock", { transport: "unix", path: "/run/x.sock" }, "unix:/run/x.sock"],
    ["unix:a b:1", { transport: "unix", path: "a b:1" }, "unix:a b:1"],
  ];
  for (const [text, address, url] of known) {
    it(`read and show ${text}`, () => {
      assert.deepEqual(parseAddress(text), address);
      assert.equal(formatAddress(address), url);
    });
  }

  for (
    const text of [
      "",
      "8080",
      ":8080",
      "a:",
      "a:b",
      "a:-1",
      "a:65536",
      "a:123456",
      "::1:80",
      "[a]:80",
      "[]:80",
      "a b:80",
      "http://a:80",
      "a:80/",
      "unix:",
    ]
  ) {
    it(`cannot be ${JSON.stringify(text)}`, () => assert.equal(parseAddress(text), undefined));
  }
});
