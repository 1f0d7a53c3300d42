import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  Libgit2LimitError,
  SMALL_LIBGIT2_BYTES,
  SmallLibgit2,
} from "../../src/diff_service/small_libgit2.ts";
import type { Oid } from "../../src/ids/oid.ts";

describe("a small libgit2", () => {
  const small = new SmallLibgit2({
    status: () => Promise.resolve("status"),
    patch: () => Promise.resolve(new Uint8Array()),
  });
  const contentOf = (bytes: number) =>
    new Map([["1" as Oid, new Uint8Array(bytes)], ["2" as Oid, new Uint8Array(1)], ["3" as Oid, undefined]]);

  it("tells what became of files up to a limit", async () => {
    assert.equal(await small.status([], contentOf(SMALL_LIBGIT2_BYTES - 1)), "status");
    await assert.rejects(small.status([], contentOf(SMALL_LIBGIT2_BYTES)), Libgit2LimitError);
  });

  it("compares no lines", async () => {
    await assert.rejects(small.patch(), Libgit2LimitError);
  });
});
