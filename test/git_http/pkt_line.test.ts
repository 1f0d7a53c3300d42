/** Frames of git's protocol, and the ids in a request. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pktLine, readPktLines } from "../../src/git_http/pkt_line.ts";
import { wantedObjects } from "../../src/git_http/wanted_objects.ts";

const ONE = "2c40a72097b1f444930220a3923e8d0d65aeaf29";
const TWO = "f2ae76caf8da290e14e9909eb9accaf9accc43c6";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => [...readPktLines(bytes(text))];

describe("frames of git's protocol", () => {
  it("begin with their length in bytes", () => {
    assert.equal(pktLine("want\n"), "0009want\n");
    assert.equal(pktLine("é"), "0006é");
  });

  it("are read in order, without those that have no content", () => {
    assert.deepEqual(read("0009want\n0001000200000004000aHello!"), ["want\n", "", "Hello!"]);
    assert.deepEqual(read(""), []);
    assert.deepEqual(read("000Bcapital"), ["capital"]);
  });

  for (const text of ["0003", "000", "zzzz", "0009want", "-001", "0x09want\n", "ffff"]) {
    it(`are refused when malformed: ${JSON.stringify(text)}`, () => {
      assert.throws(() => read(text), { code: "badRequest" });
    });
  }
});

describe("wantedObjects", () => {
  const wanted = async (
    ...lines: string[]
  ) => [...await wantedObjects(bytes(lines.map((line) => line === "" ? "0000" : pktLine(line)).join("")))];

  it("finds the ids of every version of the protocol", async () => {
    assert.deepEqual(
      await wanted(`want ${ONE} no-progress ofs-delta\n`, `want ${TWO}\n`, "deepen 1\n", "", "done\n"),
      [ONE, TWO],
    );
    assert.deepEqual(
      await wanted("command=fetch", "agent=git/2.39.5", "thin-pack", `want ${TWO}\n`, `have ${ONE}\n`),
      [TWO],
    );
  });

  it("lets no command tell of any object", async () => {
    await assert.rejects(wanted("command=object-info", "size", `oid ${ONE}`), { code: "forbidden" });
    assert.deepEqual(await wanted("command=ls-refs\n", "peel\n"), []);
  });

  it("reads ids as git does, in capital letters, too", async () => {
    assert.deepEqual(await wanted(`want ${ONE.toUpperCase()}`), [ONE]);
  });

  it("finds wants behind a flush, and each once", async () => {
    assert.deepEqual(await wanted(`want ${ONE}\n`, "", `want ${ONE}\n`, `want ${TWO}\n`), [ONE, TWO]);
  });

  for (const line of ["want", "want \n", "want abc\n", `want  ${ONE}`, "want-ref refs/heads/main\n"]) {
    it(`refuses a line that names no object: ${JSON.stringify(line)}`, async () => {
      await assert.rejects(wanted(line), { code: "badRequest" });
    });
  }
});
