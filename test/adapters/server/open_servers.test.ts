/** Which servers an address becomes, whatever the machine has. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Address, formatAddress } from "../../../adapters/server/address.ts";
import { openServers } from "../../../adapters/server/open_servers.ts";
import { ListenError, type Server } from "../../../adapters/server/server.ts";

const LOCALHOST = { transport: "tcp", hostname: "localhost", port: 8080 } as const;

/** A machine on which some addresses cannot be opened, by codes of errors; any other port is 40000 and up. */
function machine(codeOf: (url: string) => string | undefined) {
  const isOpen = new Map<string, boolean>();
  let nextPort = 40_000;
  const open = (asked: Address): Promise<Server> => {
    const address = asked.transport === "tcp" && asked.port === 0 ? { ...asked, port: nextPort++ } : asked;
    const url = formatAddress(address);
    const code = codeOf(url);
    if (code !== undefined) return Promise.reject(Object.assign(new Error(code), { code }));
    isOpen.set(url, true);
    return Promise.resolve({ address, close: () => Promise.resolve(void isOpen.set(url, false)) });
  };
  const opened = () => [...isOpen].filter(([, isOpen]) => isOpen).map(([url]) => url);
  return { open, opened };
}

describe("localhost", () => {
  it("is both loopback addresses", async () => {
    for (const hostname of ["localhost", "LocalHost", "localhost."]) {
      const { open, opened } = machine(() => undefined);
      const servers = await openServers({ ...LOCALHOST, hostname }, open);
      assert.deepEqual(servers.map(({ address }) => formatAddress(address)), opened());
      assert.deepEqual(opened(), ["http://127.0.0.1:8080", "http://[::1]:8080"]);
    }
  });

  it("is the one that the machine has, or that Deno permits", async () => {
    for (const code of ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL", "EACCES"]) {
      for (const [lacking, left] of [["127.0.0.1", "[::1]"], ["[::1]", "127.0.0.1"]] as const) {
        const { open, opened } = machine((url) => url.includes(lacking) ? code : undefined);
        await openServers(LOCALHOST, open);
        assert.deepEqual(opened(), [`http://${left}:8080`]);
      }
    }
  });

  it("is refused where neither can be used", async () => {
    const { open } = machine(() => "EACCES");
    const message = "Cannot listen on http://127.0.0.1:8080: not permitted";
    await assert.rejects(openServers(LOCALHOST, open), { name: "ListenError", message });
  });

  it("is not opened by half when another program listens on one of the two", async () => {
    const { open, opened } = machine((url) => url.includes("::1") ? "EADDRINUSE" : undefined);
    const message = "Cannot listen on http://[::1]:8080: the address is in use";
    await assert.rejects(openServers(LOCALHOST, open), { name: "ListenError", message });
    assert.deepEqual(opened(), []);
  });

  it("has any port that is free on both", async () => {
    const busy = ["http://[::1]:40000", "http://[::1]:40001"];
    const { open, opened } = machine((url) => busy.includes(url) ? "EADDRINUSE" : undefined);
    await openServers({ ...LOCALHOST, port: 0 }, open);
    assert.deepEqual(opened(), ["http://127.0.0.1:40002", "http://[::1]:40002"]);
  });

  it("fails when no port is free on both", async () => {
    const { open, opened } = machine((url) => url.includes("::1") ? "EADDRINUSE" : undefined);
    await assert.rejects(openServers({ ...LOCALHOST, port: 0 }, open), ListenError);
    assert.deepEqual(opened(), []);
  });
});

describe("any other address", () => {
  for (
    const address of [
      { transport: "unix", path: "/x.sock" },
      { transport: "tcp", hostname: "127.0.0.1", port: 1 },
      { transport: "tcp", hostname: "localhost.example.org", port: 1 },
    ] as const
  ) {
    it(`is opened as it is: ${formatAddress(address)}`, async () => {
      const { open, opened } = machine(() => undefined);
      await openServers(address, open);
      assert.deepEqual(opened(), [formatAddress(address)]);
      const refusing = machine(() => "EADDRNOTAVAIL");
      await assert.rejects(openServers(address, refusing.open), ListenError);
    });
  }
});
