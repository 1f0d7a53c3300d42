/** The header that carries a session's id. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readBearer } from "../../src/http/privilege.ts";

const request = (authorization?: string) =>
  new Request("http://localhost/", authorization === undefined ? {} : { headers: { authorization } });

describe("readBearer", () => {
  it("gives what follows the scheme", () => {
    assert.equal(
      readBearer(request("Bearer u9MGAkkfkMOv0uDDB2WeUHBT7HbsO2Dy")),
      "u9MGAkkfkMOv0uDDB2WeUHBT7HbsO2Dy",
    );
    assert.equal(readBearer(request("Bearer a b")), "a b");
    assert.equal(readBearer(request("Bearer  a")), " a");
  });

  it("knows the scheme in any case (RFC 9110, 11.1)", () => {
    for (const scheme of ["bearer", "BEARER", "bEaReR"]) {
      assert.equal(readBearer(request(`${scheme} abc`)), "abc");
      assert.equal(readBearer(request(scheme)), "");
    }
  });

  it("takes a bare scheme for an empty token", () => {
    assert.equal(readBearer(request("Bearer")), "");
    assert.equal(readBearer(request("Bearer ")), "");
  });

  for (
    const [value, message] of [
      [undefined, "`Authorization` header is missing"],
      ["", "`Authorization` header must be a bearer token"],
      ["Basic eDp5", "`Authorization` header must be a bearer token"],
      ["Bearerabc", "`Authorization` header must be a bearer token"],
      ["Bearer\tabc", "`Authorization` header must be a bearer token"],
      ["u9MGAkkfkMOv0uDDB2WeUHBT7HbsO2Dy", "`Authorization` header must be a bearer token"],
      ["Bearer \u00e9", "`Authorization` header contains invalid characters"],
    ] as const
  ) {
    it(`refuses ${value === undefined ? "a request without it" : JSON.stringify(value)}`, () => {
      assert.throws(() => readBearer(request(value)), { name: "MalformedError", message });
    });
  }
});
