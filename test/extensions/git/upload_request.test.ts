/** Requests of git's clients: what is in them, and what git gets of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pktLine } from "../../../extensions/git/pkt_line.ts";
import {
  hideInRequest,
  MAX_EXCLUDED_REFS,
  MAX_HAVES,
  MAX_REF_PREFIXES,
  MAX_SHALLOW,
  readUploadRequest,
} from "../../../extensions/git/upload_request.ts";
import type { GitProtocol } from "../../../extensions/git/git_program.ts";
import { Task } from "../../../src/scheduling/task.ts";

const ONE = "2c40a72097b1f444930220a3923e8d0d65aeaf29";
const TWO = "f2ae76caf8da290e14e9909eb9accaf9accc43c6";

/** The frames of some lines; an empty line is a flush. */
const bodyOf = (lines: readonly string[]) =>
  new TextEncoder().encode(lines.map((line) => line === "" ? "0000" : pktLine(line)).join(""));
const read = (...lines: readonly string[]) => readUploadRequest(bodyOf(lines), new Task());
const wanted = async (...lines: readonly string[]) => [...(await read(...lines)).wanted];

/** Ids that are all different. */
const ids = (count: number) => Array.from({ length: count }, (_, i) => i.toString(16).padStart(40, "0"));

/** The request as git gets it, which may know of these objects. */
async function hidden(lines: readonly string[], protocol: GitProtocol, shown: readonly string[]) {
  const request = bodyOf(lines);
  const isShown = (oid: string) => shown.includes(oid);
  const excluded = new Map([["main", "refs/heads/main"]]);
  const bytes = await hideInRequest(request, await readUploadRequest(request, new Task()), protocol, {
    isShown,
    excluded,
  }, new Task());
  return new TextDecoder().decode(bytes);
}
const text = (...lines: readonly string[]) => new TextDecoder().decode(bodyOf(lines));

describe("readUploadRequest", () => {
  it("finds the ids of every version of the protocol", async () => {
    assert.deepEqual(
      await wanted(`want ${ONE} no-progress ofs-delta\n`, `want ${TWO}\n`, "deepen 1\n", "", "done\n"),
      [ONE, TWO],
    );
    const asked = await read(
      ...["command=fetch", "agent=git/2.39.5", "object-format=sha1", "thin-pack", `want ${TWO}\n`],
      ...[`have ${ONE}\n`, `shallow ${TWO}`, "deepen-not refs/heads/é\n", "filter blob:none", "done", ""],
    );
    assert.deepEqual([...asked.wanted], [TWO]);
    assert.deepEqual([...asked.had], [ONE]);
    assert.deepEqual([...asked.shallow], [TWO]);
    assert.deepEqual([...asked.excluded], ["refs/heads/é"]);
    assert.equal(asked.isList, false);
  });

  it("lets no command reveal any object", async () => {
    await assert.rejects(read("command=object-info", "size", `oid ${ONE}`), { name: "ForbiddenError" });
    assert.equal(
      (await read("command=ls-refs\n", "peel\n", "symrefs", "unborn", "ref-prefix a")).isList,
      true,
    );
  });

  it("reads ids as git does, in capital letters, too", async () => {
    assert.deepEqual(await wanted(`want ${ONE.toUpperCase()}`), [ONE]);
  });

  it("finds wants behind a flush, and each once", async () => {
    assert.deepEqual(await wanted(`want ${ONE}\n`, "", `want ${ONE}\n`, `want ${TWO}\n`), [ONE, TWO]);
  });

  for (const word of ["want", "have", "shallow"]) {
    for (const rest of ["", " \n", " abc\n", `  ${ONE}`, ` ${ONE}0`, `=${ONE}`, ` ${ONE}x`]) {
      it(`refuses a line that names no object: ${JSON.stringify(word + rest)}`, async () => {
        await assert.rejects(read(word + rest), { name: "MalformedError" });
      });
    }
  }

  for (const line of ["want-ref refs/heads/main\n", "sideband-all", "WANT", "ERR x", "\n", "push", "oid 1"]) {
    it(`refuses a line that is not offered: ${JSON.stringify(line)}`, async () => {
      await assert.rejects(read("command=fetch", line), { name: "MalformedError" });
    });
  }

  it("refuses more than limits allow, and counts an id or a name once", async () => {
    const tooLarge = { name: "TooLargeError" };
    const names = (count: number) => ids(count).map((name) => `deepen-not ${name}`);
    await read(...names(MAX_EXCLUDED_REFS), ...names(MAX_EXCLUDED_REFS));
    await assert.rejects(read(...names(MAX_EXCLUDED_REFS + 1)), tooLarge);
    const shallow = ids(MAX_SHALLOW + 1).map((oid) => `shallow ${oid}`);
    await readUploadRequest(bodyOf(shallow.slice(1)), new Task());
    await assert.rejects(readUploadRequest(bodyOf(shallow), new Task()), tooLarge);
    await assert.rejects(read(`filter combine:${"tree:0+".repeat(100)}tree:0`), tooLarge);
    const haves = bodyOf(ids(MAX_HAVES + 1).map((oid) => `have ${oid}`));
    assert.equal((await readUploadRequest(haves, new Task())).had.size, MAX_HAVES);
  });
});

describe("hideInRequest", () => {
  it("makes objects that the client may not know of absent ones", async () => {
    const lines = (...more: readonly string[]) => [`want ${ONE}`, "", ...more, "done"];
    const asked = lines(`have ${ONE}`, `have ${TWO}\n`, `shallow ${TWO}`, `shallow ${ONE}\n`);
    assert.equal(
      await hidden(asked, 2, [ONE]),
      text(...lines(`have ${ONE}`, `have ${"0".repeat(40)}\n`, `shallow ${ONE}\n`)),
    );
    for (const protocol of [0, 1] as const) {
      assert.equal(await hidden(asked, protocol, [ONE]), text(...lines(`have ${ONE}`, `shallow ${ONE}\n`)));
    }
    assert.equal(await hidden(asked, 0, []), text(...lines()));
  });

  it("says references by their full names", async () => {
    const asked = (name: string) => ["command=fetch", `deepen-not ${name}`, `want ${ONE}`, ""];
    assert.equal(await hidden(asked("main"), 2, []), text(...asked("refs/heads/main")));
  });

  it("hands on what has nothing to hide as it is", async () => {
    const asked = ["command=fetch", `want ${ONE}`, `have ${TWO}`, `shallow ${ONE}`, "done", ""];
    assert.equal(await hidden(asked, 2, [ONE, TWO]), text(...asked));
  });

  it("asks for all references when there are very many prefixes", async () => {
    const prefixes = ids(MAX_REF_PREFIXES + 1).map((name) => `ref-prefix refs/${name}\n`);
    const asked = (some: readonly string[]) => ["command=ls-refs\n", "peel", ...some, ""];
    assert.equal(await hidden(asked(prefixes), 2, []), text(...asked([])));
    assert.equal(await hidden(asked(prefixes.slice(1)), 2, []), text(...asked(prefixes.slice(1))));
  });
});
