/** Programs of the operating system, on the runtime that executes this. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProgramCommand } from "../../src/ports/program.ts";
import { adapter } from "./this_runtime.ts";

const start = adapter.homeParts.startProgram!;

const command = (program: string, ...args: string[]): ProgramCommand => ({
  program,
  args,
  environment: {},
  input: new TextEncoder().encode("input\n"),
});

describe("a program", () => {
  it("writes what is read, and ends", async () => {
    const { output, ended } = await start(command("cat"));
    assert.equal(await new Response(output).text(), "input\n");
    assert.deepEqual(await ended, { status: 0, errors: "" });
  });

  it("that is killed has an end of its output, and no failure", async () => {
    const { output, ended, kill } = await start(command("sleep", "600"));
    const reader = output.getReader();
    const next = reader.read();
    kill();
    assert.equal((await next).done, true);
    assert.equal((await ended).status, undefined);
  });

  it("that does not exist is not supported", async () => {
    await assert.rejects(start(command("no-such-program")), { name: "UnsupportedError" });
  });
});
