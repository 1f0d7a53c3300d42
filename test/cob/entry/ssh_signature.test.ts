/** The container around an entry's signature. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base64 } from "@scure/base";
import { parseSshSignature } from "../../../src/cob/entry/ssh_signature.ts";
import { formatNid } from "../../../src/ids/nid.ts";
import { createWriter, signatureLines } from "../entries.ts";

const writer = createWriter(0xff);
const signature = writer.sign(new Uint8Array(20));
const armor = signatureLines(writer.publicKey, signature).slice("gpgsig ".length, -1).replaceAll("\n ", "\n");
const body = base64.decode(armor.split("\n").slice(1, -1).join(""));
const [BEGIN, END] = ["-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"];
/** The armor around a container, in lines of that many characters. */
const wrap = (bytes: Iterable<number>, columns = 70, lineEnd = "\n") => {
  const lines = base64.encode(Uint8Array.from(bytes)).match(new RegExp(`.{1,${columns}}`, "g")) ?? [];
  return `${BEGIN}\n${[...lines, END].join(lineEnd)}`;
};
const field = (bytes: ArrayLike<number>, more = 0) => {
  const length = bytes.length + more;
  return [length >>> 24, length >> 16 & 255, length >> 8 & 255, length & 255, ...Array.from(bytes)];
};
const text = (value: string) => field(new TextEncoder().encode(value));

/** A container, other than written ones where something is given. */
function container(
  {
    version = 1,
    key = "ssh-ed25519",
    namespace = "radicle",
    reserved = "",
    hash = "sha256",
    name = "ssh-ed25519",
    more = 0,
  },
): number[] {
  return [
    ...new TextEncoder().encode("SSHSIG"),
    ...[0, 0, 0, version],
    ...field([...text(key), ...field(writer.publicKey)], more),
    ...text(namespace),
    ...text(reserved),
    ...text(hash),
    ...field([...text(name), ...field(signature)], more),
  ];
}

/** Repetitions in a long armor. */
const LONG = 4_000_000;

describe("parseSshSignature", () => {
  it("finds key and signature", () => {
    const found = parseSshSignature(armor);
    assert.equal(formatNid(found!.publicKey), "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi");
    assert.deepEqual(found!.signature, signature);
  });

  it("is what the tests below make", () => assert.deepEqual(container({}), [...body]));

  // What the Rust crates ssh-key 0.6 and pem-rfc7468 0.7 make of each.
  for (const columns of [64, 69, 71, 76, 1000]) {
    it(`refuses lines of ${columns} characters`, () => {
      assert.equal(parseSshSignature(wrap(body, columns)), undefined);
    });
  }

  for (const [what, end] of [["CRLF", "\r\n"], ["CR", "\r"]] as const) {
    it(`takes lines that end in ${what}`, () => assert.ok(parseSshSignature(wrap(body, 70, end))));
  }

  it("refuses a blank line, except at the end", () => {
    const lines = armor.split("\n");
    for (let i = 1; i < lines.length; i++) {
      const found = parseSshSignature(lines.toSpliced(i, 0, "").join("\n"));
      assert.equal(found !== undefined, i === lines.length - 1, `before line ${i}`);
    }
    assert.equal(parseSshSignature(lines.toSpliced(-1, 0, "", "").join("\n")), undefined);
  });

  it("takes one line end after the last line", () => {
    assert.ok(parseSshSignature(`${armor}\n`));
    assert.ok(parseSshSignature(`${armor}\r\n`));
    assert.equal(parseSshSignature(`${armor}\n\n`), undefined);
    assert.equal(parseSshSignature(`x\n${armor}`), undefined);
  });

  const containers: [what: string, change: Parameters<typeof container>[0], isRead: boolean][] = [
    ["no namespace", { namespace: "" }, false],
    ["another namespace", { namespace: "git" }, true],
    ["a long namespace", { namespace: "é".repeat(4000) }, true],
    ["something in the reserved field", { reserved: "abc" }, true],
    ["the hash sha512", { hash: "sha512" }, true],
    ["the hash md5", { hash: "md5" }, false],
    ["version 0", { version: 0 }, true],
    ["version 2", { version: 2 }, false],
    ["another kind of key", { key: "ssh-rsa" }, false],
    ["a signature that says to be of RSA", { name: "rsa-sha2-512" }, true],
    ["a signature of an unknown kind with a domain", { name: "x@example.com" }, true],
    ["a signature of an unknown kind", { name: "x" }, false],
    ["a signature of a security key", { name: "sk-ssh-ed25519@openssh.com" }, false],
    ["lengths beyond the fields inside", { more: 7 }, true],
    ["lengths that cut off the fields inside", { more: -1 }, false],
  ];
  for (const [what, change, isRead] of containers) {
    it(`${isRead ? "takes" : "refuses"} a container with ${what}`, () => {
      assert.equal(parseSshSignature(wrap(container(change))) !== undefined, isRead);
    });
  }

  it("refuses a namespace that is not UTF-8", () => {
    const bytes = container({ namespace: "é" });
    bytes[bytes.indexOf(0xc3)] = 0xff;
    assert.equal(parseSshSignature(wrap(bytes)), undefined);
  });

  it("refuses every truncation", () => {
    for (let length = 0; length < body.length; length++) {
      assert.equal(parseSshSignature(wrap(body.slice(0, length))), undefined);
    }
  });

  it("refuses bytes after the end", () => assert.equal(parseSshSignature(wrap([...body, 0])), undefined));

  for (
    const [what, at] of [["another magic", 0], ["another version", 9], ["another algorithm", 20]] as const
  ) {
    it(`refuses ${what}`, () => {
      const changed = body.slice();
      changed[at]! ^= 2;
      assert.equal(parseSshSignature(wrap(changed)), undefined);
    });
  }

  for (
    const text of [
      "",
      "-----BEGIN SSH SIGNATURE-----",
      armor.replace("END", "BEGIN"),
      armor.replace("\nU", "\n*"),
    ]
  ) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () =>
      assert.equal(parseSshSignature(text), undefined));
  }

  it("comes to an end with megabytes, which would take hours in quadratic steps", () => {
    assert.ok(parseSshSignature(wrap(container({ namespace: "x".repeat(0xfffff) }))));
    for (const filler of ["\n", " ", "\r", "A\n", "="]) {
      const body = filler.repeat(LONG);
      for (const end of ["", "\n"]) {
        assert.equal(parseSshSignature(`${BEGIN}\n${body}${end}${END}`), undefined);
      }
    }
  });
});
