/** Only the owner of the node, on the node's own machine and through a page that may act for them, is privileged. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  DEFAULT_TRUSTED_ORIGINS,
  isFromForeignPage,
  isLoopbackAddress,
  isPrivileged,
  NODE_OWNER,
  PROXY_FIELDS,
} from "../../src/http/privilege.ts";
import type { Client } from "../../src/ports/client.ts";

const LOCAL: Client = { transport: "tcp", address: "127.0.0.1" };
const POLICY = { behindProxy: false, trustedOrigins: DEFAULT_TRUSTED_ORIGINS };

function ask(headers: Record<string, string> = {}, url = "http://127.0.0.1:8080/api/v1/projects"): Request {
  return new Request(url, { headers });
}

describe("isLoopbackAddress", () => {
  for (const address of ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "::FFFF:127.0.0.1"]) {
    it(`takes ${address}`, () => assert.ok(isLoopbackAddress(address)));
  }
  for (
    const address of [
      "",
      "10.0.0.1",
      "128.0.0.1",
      "::2",
      "::ffff:10.0.0.1",
      "127.0.0.1.example",
      "localhost",
      "1127.0.0.1",
    ]
  ) {
    it(`refuses "${address}"`, () => assert.ok(!isLoopbackAddress(address)));
  }
});

describe("isPrivileged", () => {
  it("takes a loopback peer, and a Unix socket", () => {
    assert.ok(isPrivileged(ask(), LOCAL, POLICY));
    assert.ok(isPrivileged(ask({}, "http://localhost/api"), { transport: "unix" }, POLICY));
  });

  it("refuses when nothing is known of the client", () => {
    assert.ok(!isPrivileged(ask(), undefined, POLICY));
  });

  it("refuses another machine, whatever its headers say", () => {
    const forwarded = ask({
      "x-forwarded-for": "127.0.0.1",
      forwarded: "for=127.0.0.1",
      "x-real-ip": "127.0.0.1",
    });
    assert.ok(!isPrivileged(forwarded, { transport: "tcp", address: "192.0.2.7" }, POLICY));
  });

  it("refuses a request that was meant for a proxy", () => {
    assert.ok(!isPrivileged(ask(), { transport: "tcp", address: "127.0.0.1", isForwarded: true }, POLICY));
  });

  it("refuses everybody behind a proxy", () => {
    assert.ok(!isPrivileged(ask(), LOCAL, { ...POLICY, behindProxy: true }));
  });

  for (const name of PROXY_FIELDS) {
    it(`refuses a request that a proxy has marked with ${name}, whatever it says`, () => {
      for (const value of ["127.0.0.1", "localhost", ""]) {
        assert.ok(!isPrivileged(ask({ [name]: value }), LOCAL, POLICY));
        assert.ok(!isPrivileged(ask({ [name]: value }), { transport: "unix" }, POLICY));
      }
    });
  }

  it("accepts the owner that the host vouches for, whatever the request is", () => {
    const headers = { host: "api.example", origin: "https://evil.example", "x-forwarded-for": "192.0.2.7" };
    const request = ask(headers, "https://api.example/radicle");
    assert.ok(isPrivileged(request, NODE_OWNER, { ...POLICY, behindProxy: true }));
    assert.ok(!isPrivileged(ask(), { ...NODE_OWNER }, POLICY));
  });

  for (
    const host of [
      "localhost",
      "localhost:8080",
      "127.0.0.1:8080",
      "[::1]:8080",
      "app.localhost",
      "LOCALHOST",
    ]
  ) {
    it(`takes the host ${host}`, () => assert.ok(isPrivileged(ask({ host }), LOCAL, POLICY)));
  }
  for (
    const host of [
      "evil.example",
      "evil.example:8080",
      "localhost.evil.example",
      "evil.example@localhost",
      "localhost@evil.example",
      "user:password@localhost",
      "localhost/x",
      "localhost:8080/@evil.example",
      "localhost#evil.example",
      "localhost\\evil.example",
      "localhost, evil.example",
      "localhost:",
      "127.0.0.1.nip.example",
      "notlocalhost",
      "",
      "a b",
    ]
  ) {
    it(`refuses the host "${host}", whose name an attacker may point here`, () => {
      assert.ok(!isPrivileged(ask({ host }), LOCAL, POLICY));
    });
  }

  it("refuses user information in the URL", () => {
    const url = "http://user@localhost/api";
    const request = { url, headers: new Headers() } as Request;
    assert.ok(!isPrivileged(request, LOCAL, POLICY));
    assert.ok(isPrivileged({ ...request, url: "http://localhost/api" }, LOCAL, POLICY));
  });

  it("refuses a foreign name in the URL even when the header is local", () => {
    assert.ok(!isPrivileged(ask({ host: "localhost" }, "http://evil.example/api"), LOCAL, POLICY));
  });

  for (
    const origin of [
      "http://localhost:5173",
      "https://127.0.0.1",
      "http://[::1]:3000",
      "https://app.radicle.xyz",
    ]
  ) {
    it(`takes a page of ${origin}`, () => assert.ok(isPrivileged(ask({ origin }), LOCAL, POLICY)));
  }
  for (
    const origin of [
      "null",
      "https://evil.example",
      "https://app.radicle.xyz.evil.example",
      "http://app.radicle.xyz",
      "file://",
      "chrome-extension://localhost",
    ]
  ) {
    it(`refuses a page of ${origin}`, () => assert.ok(!isPrivileged(ask({ origin }), LOCAL, POLICY)));
  }

  // Images and media were once shown. Their sizes and failures tell a page that something private exists.
  for (const dest of ["script", "style", "empty", "iframe", "object", "image", "audio", "video", ""]) {
    it(`refuses a page of another site that uses an answer as "${dest}" without saying its origin`, () => {
      const headers = { "sec-fetch-site": "cross-site", ...(dest && { "sec-fetch-dest": dest }) };
      assert.ok(!isPrivileged(ask(headers), LOCAL, POLICY));
      assert.ok(isPrivileged(ask({ ...headers, origin: "https://app.radicle.xyz" }), LOCAL, POLICY));
      for (const site of ["none", "same-origin", "same-site"]) {
        assert.ok(isPrivileged(ask({ ...headers, "sec-fetch-site": site }), LOCAL, POLICY));
      }
    });
  }
  it("takes a link on a page of another site, which leaves that page", () => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" };
    assert.ok(isPrivileged(ask(headers), LOCAL, POLICY));
    assert.ok(!isPrivileged(ask({ ...headers, origin: "https://evil.example" }), LOCAL, POLICY));
  });

  it("takes the origins that the operator trusts, and no others", () => {
    const policy = { behindProxy: false, trustedOrigins: ["https://ui.example"] };
    assert.ok(isPrivileged(ask({ origin: "https://ui.example" }), LOCAL, policy));
    assert.ok(!isPrivileged(ask({ origin: "https://app.radicle.xyz" }), LOCAL, policy));
  });
});

describe("isFromForeignPage", () => {
  it("is said of pages that may not act for the owner, of no other program", () => {
    assert.ok(isFromForeignPage(ask({ origin: "https://evil.example" }), POLICY));
    assert.ok(isFromForeignPage(ask({ origin: "null" }), POLICY));
    assert.ok(isFromForeignPage(ask({ "sec-fetch-site": "cross-site" }), POLICY));
    assert.ok(!isFromForeignPage(ask({ origin: "https://app.radicle.xyz" }), POLICY));
    assert.ok(!isFromForeignPage(ask({ origin: "http://localhost:5173" }), POLICY));
    assert.ok(!isFromForeignPage(ask(), POLICY));
  });
});
