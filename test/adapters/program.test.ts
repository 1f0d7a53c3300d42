/** Programs of the operating system, on the runtime that executes this. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProgramCommand } from "../../src/ports/program.ts";
import { openFiles } from "../support/open_files.ts";
import { adapter } from "./this_runtime.ts";

const start = adapter.homeParts.startProgram!;

const command = (program: string, ...args: string[]): ProgramCommand => ({
  program,
  args,
  environment: {},
  input: new TextEncoder().encode("input\n"),
});

/** Names of the pipes and sockets that this process has open. */
const openPipes = () => openFiles().filter((name) => /^(?:pipe|socket):/.test(name));

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

  for (const way of ["is killed", "has ended"] as const) {
    it(`that ${way} leaves no pipe open when its output is not read`, async () => {
      const before = new Set(openPipes());
      const left = () => openPipes().filter((name) => !before.has(name));
      const isKilled = way === "is killed";
      const { output, ended, kill } = await start(isKilled ? command("sleep", "600") : command("cat"));
      if (isKilled) kill();
      await ended;
      if (!isKilled) await output.cancel();
      for (let turn = 0; turn < 1000 && left().length > 0; turn++) {
        await new Promise((resume) => setTimeout(resume, 0));
      }
      assert.deepEqual(left(), []);
    });
  }

  it("that does not exist is not supported", async () => {
    await assert.rejects(start(command("no-such-program")), { name: "UnsupportedError" });
  });
});
