/** A server with few file descriptors, as a process of its own on the runtime that executes this. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, it } from "node:test";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Address } from "../../adapters/server/address.ts";
import { type ConnectionLimits, placesFor } from "../../adapters/server/connections.ts";
import { parseDescriptorLimit } from "../../adapters/node/descriptors.ts";
import { openIdle } from "../hostile/connections.ts";
import { ask, open, request } from "./wire.ts";

const CHILD = fileURLToPath(new URL("server_child.ts", import.meta.url));
const FLAGS = "Deno" in globalThis ? ["run", "--quiet", "--no-check", "--allow-all"] : [];
const DESCRIPTORS = 256;
const skip = process.platform === "win32" ? "no ulimit" : false;

let child: ChildProcess | undefined;
afterEach(() => void child?.kill("SIGKILL"));

/** Starts a server that may have {@link DESCRIPTORS}. */
async function start(limits: Partial<ConnectionLimits>): Promise<Address> {
  const command = [process.execPath, ...FLAGS, CHILD, JSON.stringify(limits)];
  child = spawn("/bin/sh", ["-c", `ulimit -n ${DESCRIPTORS}; exec "$@"`, "sh", ...command], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout!, "data");
  return JSON.parse(String(line));
}

describe("a server with 256 file descriptors", { skip }, () => {
  it("answers at once despite any number of idle connections", async () => {
    const address = await start({ maxConnections: placesFor(DESCRIPTORS) });
    const idle = await openIdle(address, 3 * DESCRIPTORS);
    for (let i = 0; i < 10; i++) assert.match(await ask(address, request("GET /alive")), /\/alive/);
    idle.leave();
    assert.match(await ask(address, request("GET /alive")), /\/alive/);
  });

  it("accepts connections again after it had no descriptors left", async () => {
    const address = await start({});
    const wire = await open(address);
    wire.send("GET /fill HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await wire.until("/fill");
    const turnedAway = await openIdle(address, 10);
    wire.send("GET /free HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await wire.until("/free");
    // While the server starts to listen again, connections are refused.
    let answer = "";
    while (!answer.includes("/alive")) answer = await ask(address, request("GET /alive")).catch(() => "");
    turnedAway.leave();
    wire.leave();
  });
});

describe("parseDescriptorLimit", () => {
  it("reads the limit that holds now", () => {
    const lines = (limit: string) =>
      `Limit                     Soft Limit           Hard Limit           Units     \nMax open files            ${limit}                 4096                 files     \n`;
    assert.equal(parseDescriptorLimit(lines("256 ")), 256);
    assert.equal(parseDescriptorLimit(lines("unlimited")), Infinity);
    assert.equal(parseDescriptorLimit("Max processes  1 1 processes\n"), undefined);
  });
});
