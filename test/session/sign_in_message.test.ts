/** The grammar of EIP-4361, to the letter. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDomain, MAX_MESSAGE_LENGTH, parseSignInMessage } from "../../src/session/sign_in_message.ts";

const ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const HEAD = [`localhost:3000 wants you to sign in with your Ethereum account:`, ADDRESS, ""];
const REST = [
  "",
  "URI: http://localhost:3000/sign-in",
  "Version: 1",
  "Chain ID: 1",
  "Nonce: abcdefghijk",
  "Issued At: 2023-01-27T09:05:03Z",
];
const MORE = [
  "Expiration Time: 2023-01-27T10:05:03.5Z",
  "Not Before: 2023-01-27T08:05:03+01:00",
  "Request ID: some-id:1@x%20",
];
const text = (...lines: readonly (string | readonly string[])[]) => lines.flat().join("\n");
const PLAIN = text(HEAD, REST);

/** The plain message with a part of it changed. */
const changed = (from: string | RegExp, to: string) => {
  const result = PLAIN.replace(from, to);
  assert.notEqual(result, PLAIN);
  return result;
};

describe("parseSignInMessage", () => {
  it("reads a message of what is required", () => {
    const message = parseSignInMessage(PLAIN);
    assert.deepEqual(message, {
      domain: "localhost:3000",
      address: ADDRESS,
      uri: "http://localhost:3000/sign-in",
      chainId: 1,
      nonce: "abcdefghijk",
      issuedAt: { ms: Date.UTC(2023, 0, 27, 9, 5, 3), shown: "2023-01-27 9:05:03.0 +00:00:00" },
      resources: [],
    });
  });

  it("reads a message of everything", () => {
    const resources = ["Resources:", "- https://example.org/?a=b#c", "- ipfs://Qm%20x"];
    const message = parseSignInMessage(
      text(HEAD, "Sign in to Radicle; see https://radicle.xyz", REST, MORE, resources),
    );
    assert.equal(message.expirationTime?.ms, Date.UTC(2023, 0, 27, 10, 5, 3, 500));
    assert.equal(message.notBefore?.ms, Date.UTC(2023, 0, 27, 7, 5, 3));
    assert.deepEqual(message.resources, ["https://example.org/?a=b#c", "ipfs://Qm%20x"]);
  });

  for (const line of [...MORE, "Request ID: ", "Resources:"]) {
    it(`reads a message with no more than "${line}"`, () =>
      assert.ok(parseSignInMessage(text(HEAD, REST, line))));
  }

  for (const domain of ["example.org", "127.0.0.1:8080", "[::1]:8080", "[::1]", "EXAMPLE.org:1"]) {
    it(`reads the domain ${domain}`, () => {
      assert.equal(parseSignInMessage(changed("localhost:3000", domain)).domain, domain);
    });
  }

  for (
    const [what, message] of [
      ["nothing", ""],
      ["a line feed at the end", `${PLAIN}\n`],
      ["a line feed before the start", `\n${PLAIN}`],
      ["line ends of Windows", PLAIN.replaceAll("\n", "\r\n")],
      ["one empty line too few", changed("\n\n\n", "\n\n")],
      ["one empty line too many", changed("\n\n\n", "\n\n\n\n")],
      ["an empty statement", text(HEAD, "", "", REST)],
      ["a statement of two lines", text(HEAD, "one", "two", REST)],
      ["a statement beyond ASCII", text(HEAD, "Grüße", REST)],
      ["no domain", changed("localhost:3000", "")],
      ["a URL as domain", changed("localhost:3000", "http://localhost:3000")],
      ["user information in the domain", changed("localhost:3000", "me@localhost:3000")],
      ["a port of letters", changed("localhost:3000", "localhost:http")],
      ["an address without checksum", changed(ADDRESS, ADDRESS.toLowerCase())],
      ["an address that is too short", changed(ADDRESS, ADDRESS.slice(0, -1))],
      ["an address without 0x", changed(ADDRESS, ADDRESS.slice(2))],
      ["a URI without scheme", changed("http://localhost:3000/sign-in", "/sign-in")],
      ["a URI with a space", changed("/sign-in", "/sign in")],
      ["a URI with half an escape", changed("/sign-in", "/%2")],
      ["version 2", changed("Version: 1", "Version: 2")],
      ["version 10", changed("Version: 1", "Version: 10")],
      ["a negative chain id", changed("Chain ID: 1", "Chain ID: -1")],
      ["a chain id beyond 15 digits", changed("Chain ID: 1", "Chain ID: 1234567890123456")],
      ["a nonce of seven characters", changed("abcdefghijk", "abcdefg")],
      ["a nonce with a hyphen", changed("abcdefghijk", "abcdefgh-jk")],
      ["a time that does not exist", changed("2023-01-27T09", "2023-02-30T09")],
      ["a time without offset", changed("03Z", "03")],
      ["no time of issue", changed(/\nIssued At.*/, "")],
      ["members in another order", changed(/(Version: 1)\n(Chain ID: 1)/, "$2\n$1")],
      ["the optional members in another order", text(HEAD, REST, MORE[1]!, MORE[0]!)],
      ["an optional member twice", text(HEAD, REST, MORE[0]!, MORE[0]!)],
      ["a member that it does not have", text(HEAD, REST, "Comment: x")],
      ["a request id with a space", text(HEAD, REST, "Request ID: a b")],
      ["a resource without list", text(HEAD, REST, "- https://example.org")],
      ["a resource that is no URI", text(HEAD, REST, "Resources:", "- example")],
      ["a resource without hyphen", text(HEAD, REST, "Resources:", "https://example.org")],
    ] as const
  ) {
    it(`refuses ${what}`, () => {
      assert.throws(() => parseSignInMessage(message), {
        name: "MalformedError",
        message: /^Cannot read sign-in message: /,
      });
    });
  }

  it(`reads ${MAX_MESSAGE_LENGTH} characters and refuses one more`, () => {
    const long = (length: number) =>
      changed("/sign-in", "/".padEnd(length - PLAIN.length + "/sign-in".length, "x"));
    assert.equal(long(MAX_MESSAGE_LENGTH).length, MAX_MESSAGE_LENGTH);
    assert.ok(parseSignInMessage(long(MAX_MESSAGE_LENGTH)));
    assert.throws(() => parseSignInMessage(long(MAX_MESSAGE_LENGTH + 1)), { name: "MalformedError" });
  });

  it("comes to an end with the worst that fits", () => {
    for (const filler of ["a", "%20", "-", "\n", "\n- a:", "[", ":"]) {
      const tail = filler.repeat(MAX_MESSAGE_LENGTH).slice(0, MAX_MESSAGE_LENGTH - PLAIN.length - 20);
      for (
        const message of [tail, PLAIN + tail, text(HEAD, tail, REST), text(HEAD, REST, "Resources:", tail)]
      ) {
        assert.throws(() => parseSignInMessage(`${message}\u0000`), { name: "MalformedError" });
      }
    }
  });
});

describe("isDomain", () => {
  it("takes hosts with and without port, and nothing else", () => {
    for (const text of ["localhost", "example.org:8080", "[::1]:80"]) assert.equal(isDomain(text), true);
    for (const text of ["", "http://localhost", "localhost/", "a b", "localhost:", "::1", "a@b"]) {
      assert.equal(isDomain(text), false);
    }
  });
});
