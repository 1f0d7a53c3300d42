import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NodeId } from "../../src/ids/nid.ts";
import { aliased } from "../../src/views/aliased.ts";
import { toAuthorView } from "../../src/views/author.ts";
import { ALICE, BOB } from "../support/world.ts";

describe("aliased", () => {
  const asked: (readonly NodeId[])[] = [];
  const names = {
    aliases: (nodes: readonly NodeId[]) => {
      asked.push(nodes);
      return Promise.resolve(new Map(nodes.includes(ALICE) ? [[ALICE, "alice"]] : []));
    },
  };

  it("looks up all nodes of a view at once, each one time", async () => {
    const view = await aliased(
      names,
      (aliasOf) => [ALICE, BOB, ALICE].map((node) => toAuthorView(node, aliasOf)),
    );
    assert.deepEqual(view.map(({ alias }) => alias), ["alice", undefined, "alice"]);
    assert.deepEqual(asked.splice(0), [[ALICE, BOB]]);
  });

  it("asks nothing for a view of no nodes, and makes one without names once", async () => {
    assert.equal(await aliased(names, () => 1), 1);
    assert.deepEqual(asked, []);
    let made = 0;
    await aliased(names, (aliasOf) => (made++, aliasOf(BOB)));
    assert.equal(made, 1);
  });
});
