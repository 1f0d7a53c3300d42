/** Errors that nothing has caught, in the real `xylem serve` on the runtime that executes this. */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import {
  removeFolder,
  ROOT,
  type Runtime,
  type Service,
  startService,
  temporaryFolder,
} from "../../support/programs.ts";
import { open } from "../wire.ts";
import { makeHome } from "./command.ts";

const RUNTIME: Runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node";
const COMMAND = join(ROOT, "test", "adapters", "cli", "failing_command.ts");

/** Requests within which a signal is heard, at most. */
const MAX_ASKED = 5000;

describe("an error that nothing has caught", () => {
  const folder = temporaryFolder("uncaught");
  let service: Service;
  before(async () => {
    service = await startService(RUNTIME, makeHome(join(folder, "home")), [], {}, undefined, COMMAND);
  });
  after(() => removeFolder(folder));

  const ask = async () => await (await fetch(`${service.url}/api/v1/projects`)).json();
  /** Asks until something is so: the process hears of a signal when it comes to it. */
  const until = async (isSo: (isAnswered: boolean) => boolean) => {
    for (let i = 0; i < MAX_ASKED; i++) if (isSo(await ask().then(() => true, () => false))) return;
    assert.fail(service.output());
  };

  it("is logged with its cause and counted when it is a rejection, and the service goes on", async () => {
    for (const number of [1, 2]) {
      process.kill(service.pid, "SIGUSR2");
      const line = `error Unhandled rejection, number ${number} since the start: Error: gone wrong`;
      await until(() => service.output().includes(line));
    }
    assert.deepEqual(await ask(), []);
    assert.equal(service.output().match(/Unhandled rejection/g)?.length, 2);
  });

  it("ends the service with status 1 when it is an exception, after the running requests", async () => {
    const wire = await open({
      transport: "tcp",
      hostname: "127.0.0.1",
      port: Number(new URL(service.url).port),
    });
    wire.send(
      "POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
    );
    await wire.until("100 Continue");
    process.kill(service.pid, "SIGHUP");
    await until((isAnswered) => !isAnswered);
    wire.send("{}");
    assert.match(await wire.end(), /HTTP\/1\.1 201/);
    assert.equal(await service.ended, 1);
    assert.match(service.output(), /Uncaught exception; the service ends: Error: gone worse/);
  });
});
