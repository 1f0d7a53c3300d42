import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newestFirst } from "../../../src/cob/evaluation/object_summary.ts";

describe("newestFirst", () => {
  const object = (id: string, timeSeconds: number, status: string) => ({
    id,
    timeSeconds,
    state: { status },
  });
  const list = [
    object("a", 5, "open"),
    object("b", 7, "closed"),
    object("c", 5, "open"),
    object("d", 9, "open"),
  ];
  const ids = (status: string) => newestFirst(list, status).map(({ id }) => id).join("");

  it("returns objects in a state, the newest first, objects of one second in their order", () => {
    assert.deepEqual(["open", "closed", "all", "merged"].map(ids), ["dac", "b", "dbac", ""]);
    assert.deepEqual(list.map(({ id }) => id).join(""), "abcd");
  });

  it("answers with the same array for the same list, another one for another list", () => {
    assert.equal(newestFirst(list, "open"), newestFirst(list, "open"));
    assert.notEqual(newestFirst([...list], "open"), newestFirst(list, "open"));
  });
});
