/** Which objects of a request a client may know of. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../../src/errors.ts";
import { shownOf } from "../../../extensions/git/shown_objects.ts";
import { parseOid } from "../../../src/ids/oid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { GitProgram } from "../../../extensions/git/git_program.ts";
import { BOB, createWorld } from "../../support/world.ts";
import { Task } from "../../../src/scheduling/task.ts";

const ABSENT = parseOid("f".repeat(40));

/** A repository with a draft, and a program that knows what leads where and notes what it is asked. */
function createDrafted() {
  const { hello, helloRid: rid, commits: [first, , head] } = createWorld();
  const blob = hello.put("blob", new TextEncoder().encode("draft"));
  const tree = hello.put("tree", new Uint8Array());
  const draft = hello.put("commit", new TextEncoder().encode(`tree ${tree}\nparent ${head}\n\nDraft\n`));
  hello.setRef(`refs/namespaces/${BOB}/refs/drafts/x`, draft);
  const hidden = new Set<Oid>([draft, blob]);
  const asked: string[] = [];
  const git: Pick<GitProgram, "commitsBeyondRefs" | "unreachable"> = {
    commitsBeyondRefs(_rid, commits, tips) {
      asked.push(`commits ${commits.join()} from ${tips.join()}`);
      return Promise.resolve(new Set(commits.filter((oid) => hidden.has(oid))));
    },
    unreachable(_rid, oids) {
      asked.push(`all ${oids.join()}`);
      return Promise.resolve(oids.filter((oid) => hidden.has(oid)));
    },
  };
  const headers: Oid[] = [];
  const read = hello.header.bind(hello);
  hello.header = (oid) => {
    headers.push(oid);
    return read(oid);
  };
  const look = async (wanted: readonly Oid[], had: readonly Oid[] = [], shallow: readonly Oid[] = []) => {
    const request = { wanted: new Set(wanted), had: new Set(had), shallow: new Set(shallow) };
    const { refused, isShown } = await shownOf(
      request,
      git as GitProgram,
      { rid, repository: hello },
      {},
      new Task(),
    );
    return { refused, shown: [...had, ...shallow].filter(isShown) };
  };
  return { look, asked, headers, first, head, draft, blob, hello };
}

describe("objects of a request", () => {
  it("are shown at once when references point to them", async () => {
    const { look, asked, headers, head } = createDrafted();
    assert.deepEqual(await look([head], [head], [head]), { refused: undefined, shown: [head, head] });
    assert.deepEqual([asked, headers], [[], []]);
  });

  it("cost one lookup when they are absent", async () => {
    const { look, asked, headers, head } = createDrafted();
    assert.equal((await look([ABSENT, head])).refused, ABSENT);
    assert.deepEqual([asked, headers], [[], [ABSENT]]);
  });

  it("of a draft are refused and unknown, as absent ones", async () => {
    const { look, asked, head, draft, blob, first } = createDrafted();
    assert.equal((await look([draft])).refused, draft);
    assert.equal((await look([blob])).refused, blob);
    assert.deepEqual(asked.splice(0), [`commits ${draft} from `, `all ${draft}`, `all ${blob}`]);
    const told = await look([head], [draft, first, ABSENT, blob], [draft, first, blob]);
    assert.deepEqual(told, { refused: undefined, shown: [first, first] });
    assert.deepEqual(asked, [`commits ${draft},${first} from ${head}`]);
  });

  it("are as good as absent when they are damaged", async () => {
    const { look, hello, head } = createDrafted();
    const damaged = hello.put("commit", new TextEncoder().encode("x"));
    hello.header = () => {
      throw new DamagedError("truncated");
    };
    assert.equal((await look([damaged])).refused, damaged);
    assert.deepEqual((await look([head], [damaged])).shown, []);
  });
});
