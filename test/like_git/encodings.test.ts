/** Messages in declared encodings, compared with what git decodes by the iconv of this system. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { EMPTY_TREE } from "../../src/git/empty_tree.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

const encoder = new TextEncoder();

/** All bytes of the upper half. */
const UPPER = Uint8Array.from({ length: 128 }, (_, i) => 128 + i);
const hex = (text: string) => Uint8Array.from(text.match(/../g)!, (byte) => parseInt(byte, 16));

/** Names of encodings, and bytes in them: "日本語", "中文" or "한국어", and letters of the others. */
const ENCODINGS: readonly (readonly [bytes: Uint8Array, ...names: string[]])[] = [
  [hex("1b2442467c4b5c386c1b2842"), "ISO-2022-JP", "iso-2022-jp", "ISO2022JP", "CSISO2022JP"],
  [hex("c6fccbdcb8ec"), "EUC-JP", "eucJP", "EUCJP", "UJIS", "eucJP-ms"],
  [hex("93fa967b8cea"), "Shift_JIS", "SJIS", "CP932", "cp932", "MS932", "IBM932", "WINDOWS-31J", "SJIS-WIN"],
  [hex("c7d1b1b9beee"), "EUC-KR", "euckr", "CP949", "cp949", "UHC", "MSCP949"],
  [hex("d6d0cec4"), "GBK", "CP936", "cp936", "MS936", "GB2312", "EUC-CN", "GB18030"],
  [hex("a4a4a4e5"), "BIG5", "Big5", "CP950", "cp950", "BIG-FIVE", "BIG5-HKSCS"],
  [UPPER, "CP437", "cp437", "IBM437", "437"],
  [UPPER, "CP850", "cp850", "IBM850", "850"],
  [UPPER, "CP866", "IBM866", "866"],
  [
    UPPER,
    "ISO-8859-1",
    "ISO8859-1",
    "iso88591",
    "8859_1",
    "latin1",
    "L1",
    "LATIN1",
    "CP819",
    "ISO_8859-1:1987",
  ],
  [hex("a1b1c6e6"), "ISO-8859-2", "8859_2", "LATIN2", "ISO88592"],
  [hex("a4a6e9"), "ISO-8859-15", "LATIN-9", "ISO8859-15"],
  [hex("d0fdfe"), "ISO-8859-9", "LATIN5", "8859_9"],
  [hex("cfd2c9d7c5d4"), "KOI8-R", "KOI8R", "KOI8-U"],
  [hex("cff0e8e2e5f2"), "CP1251", "WINDOWS-1251", "windows-1251", "cp1251"],
  [hex("9c8ee9"), "CP1250", "WINDOWS-1250"],
  [hex("8093e9"), "CP1252", "WINDOWS-1252"],
  [hex("a1cdd2"), "TIS-620", "CP874"],
];

describe("a message", () => {
  let home: GitHome;
  let made: MadeRepository;
  before(() => {
    home = new GitHome("encodings");
    made = home.create("encodings");
  });
  after(() => home.remove());

  /** Puts a commit of this name of a person and this subject. */
  function put(encoding: string | undefined, bytes: Uint8Array): string {
    const person = joinBytes([encoder.encode("A"), bytes, encoder.encode("Z <a@b> 1700000000 +0000\n")]);
    return made.git.put(
      "commit",
      joinBytes([
        encoder.encode(`tree ${EMPTY_TREE}\nauthor `),
        person,
        encoder.encode("committer "),
        person,
        encoder.encode(encoding === undefined ? "" : `encoding ${encoding}\n`),
        encoder.encode("\nA"),
        bytes,
        encoder.encode("Z\n"),
      ]),
    );
  }

  async function shownOf(oid: string): Promise<string> {
    const { status, body } = await made.get(`/commits/${oid}`);
    assert.equal(status, 200);
    assert.equal(body.commit.author.name, body.commit.summary);
    return body.commit.summary;
  }

  for (const [bytes, ...names] of ENCODINGS) {
    for (const name of names) {
      it(`is decoded as git decodes it from ${name}`, async () => {
        const oid = put(name, bytes);
        const theirs = new TextDecoder().decode(
          made.git.run(["log", "-1", "--encoding=UTF-8", "--format=%s", oid]),
        );
        assert.equal(await shownOf(oid), theirs.slice(0, -1));
      });
    }
  }

  it("that is UTF-8 is taken for it, whatever it declares, as the original service does", async () => {
    for (const name of [undefined, "UTF-8", "utf8", "ISO-8859-1", "CP437", "nonsense", "x".repeat(10_000)]) {
      assert.equal(await shownOf(put(name, encoder.encode("é"))), "AéZ");
    }
  });

  it("in an unknown encoding has replacement characters", async () => {
    for (const name of ["nonsense", "ASCII", "x".repeat(10_000), "constructor", "__proto__", ""]) {
      assert.equal(await shownOf(put(name, hex("e9"))), "A\ufffdZ", name);
    }
  });
});
