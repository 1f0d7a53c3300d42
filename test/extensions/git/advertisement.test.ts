/** What version 2 of git's protocol offers. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { offeredOf, pktLine } from "../../../extensions/git/pkt_line.ts";
import { Task } from "../../../src/scheduling/task.ts";

describe("the advertisement of version 2", () => {
  it("offers what is served", async () => {
    const lines = (...names: readonly string[]) =>
      `${names.map((name) => pktLine(`${name}\n`)).join("")}0000`;
    const served = [
      "version 2",
      "agent=git/2.39.5",
      "ls-refs=unborn",
      "fetch=shallow filter",
      "server-option",
    ];
    const advertised = lines(
      ...served,
      "object-format=sha1",
      "object-info",
      "bundle-uri",
      "promisor-remote=x",
    );
    const offered = await offeredOf(new TextEncoder().encode(advertised), new Task());
    assert.equal(new TextDecoder().decode(offered), lines(...served, "object-format=sha1"));
  });
});
