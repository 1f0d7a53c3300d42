/** Git's configuration files. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfig } from "../../src/git/config.ts";

describe("parseConfig", () => {
  it("reads what radicle-node writes", () => {
    const text = "[core]\n\tbare = true\n[user]\n\tname = hana\n\temail = hana@z6Mk\n";
    assert.deepEqual([...parseConfig(text)], [["core.bare", "true"], ["user.name", "hana"], [
      "user.email",
      "hana@z6Mk",
    ]]);
  });

  const CASES: readonly (readonly [what: string, text: string, value: string | undefined])[] = [
    ["names in any case", "[USER]\nNAME = a", "a"],
    ["a variable beside its section", "[user] name = a", "a"],
    ["white space around the value", "[user]\n  name   =   a b  \t", "a b"],
    ["Windows' line ends", "[user]\r\nname = a\r\n", "a"],
    ["quotes, which keep white space and comment signs", '[user]\nname = " a # b "', " a # b "],
    ["quotes in the middle", '[user]\nname = a" "b', "a b"],
    ["comments", "[user]\n# name = x\nname = a ; b\n", "a"],
    ["escapes", '[user]\nname = a\\"b\\\\c\\td', 'a"b\\c\td'],
    ["lines that go on", "[user]\nname = a\\\nb", "ab"],
    ["the last of several", "[user]\nname = a\n[user]\nname = b", "b"],
    ["a variable without a value", "[user]\nname", "true"],
    ["an empty value", "[user]\nname =", ""],
    ["another subsection's variable as another one", '[user "x"]\nname = a', undefined],
    ["a section that does not end as none", "[user\nname = a", undefined],
    ["nothing in an empty file", "", undefined],
  ];
  for (const [what, text, value] of CASES) {
    it(`reads ${what}`, () => assert.equal(parseConfig(text).get("user.name"), value));
  }

  it("keeps the case of subsections", () => {
    assert.equal(parseConfig('[Remote "Up \\"x\\""]\nURL = u').get('remote.Up "x".url'), "u");
  });

  // Hours, if it took time for each pair of blanks.
  it("reads lines of very many blanks", () => {
    for (const start of ["[user", '[user "a"', "", "name", "name =", "ref"]) {
      assert.equal(parseConfig(`${start}${" ".repeat(2_000_000)}x`).get("user.name"), undefined);
    }
  });
});
