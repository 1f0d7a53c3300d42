/** Frames of git's protocol. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentOf, eachPktLine, MAX_FRAMES, pktLine } from "../../../extensions/git/pkt_line.ts";
import { Task } from "../../../src/scheduling/task.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function read(text: string): Promise<(string | undefined)[]> {
  const body = bytes(text);
  const contents: (string | undefined)[] = [];
  await eachPktLine(body, new Task(), (start, end) => void contents.push(contentOf(body, start, end)));
  return contents;
}

describe("frames of git's protocol", () => {
  it("begin with their length in bytes", () => {
    assert.equal(pktLine("want\n"), "0009want\n");
    assert.equal(pktLine("é"), "0006é");
  });

  it("are read in order, with those that have no content", async () => {
    assert.deepEqual(await read("0009want\n000100000004000aHello!"), [
      "want\n",
      undefined,
      undefined,
      "",
      "Hello!",
    ]);
    assert.deepEqual(await read(""), []);
    assert.deepEqual(await read("000Bcapital"), ["capital"]);
    assert.equal((await read(`fff0${"x".repeat(65_516)}`))[0]?.length, 65_516);
  });

  const longer = `fff1${"x".repeat(65_517)}`;
  for (const text of ["0002", "0003", "000", "zzzz", "0009want", "-001", "0x09want\n", "ffff", longer]) {
    it(`are refused when malformed: ${JSON.stringify(text.slice(0, 10))}`, async () => {
      await assert.rejects(read(text), { name: "MalformedError" });
    });
  }

  for (const frame of ["0000", "0001", "0004", "0005x"]) {
    it(`are counted, each of them: ${frame}`, async () => {
      await eachPktLine(bytes(frame.repeat(MAX_FRAMES)), new Task());
      await assert.rejects(eachPktLine(bytes(frame.repeat(MAX_FRAMES + 1)), new Task()), {
        name: "TooLargeError",
      });
    });
  }

  it("leave time for others, also those without content", async () => {
    let others = 0;
    let isReading = true;
    const other = () => {
      others++;
      if (isReading) setTimeout(other);
    };
    other();
    const body = bytes("0000".repeat(MAX_FRAMES));
    // A hundred times the work of a request: more than a time slice on any machine.
    for (let i = 0; i < 100 && others < 2; i++) await eachPktLine(body, new Task());
    isReading = false;
    assert.ok(others >= 2);
  });
});
