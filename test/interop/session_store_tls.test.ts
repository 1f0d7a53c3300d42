/** Sessions in a real store behind TLS (`rediss://`), on each runtime: only a server with the right certificate is used. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@redis/client";
import { makeHome } from "../adapters/cli/command.ts";
import { signInWith } from "../session/sign_in_over_http.ts";
import { folderOnDisk, removeFolder, RUNTIMES, type Service, startService } from "../support/programs.ts";
import { freePort, type RedisServer, redisServer } from "./redis_server.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** Ports that are tried. */
const TRIES = 5;
/** First byte of a connection that begins with the handshake of TLS (RFC 8446, 5.1). */
const HANDSHAKE = 0x16;

const folder = folderOnDisk("session-tls");

/** Makes a certificate with openssl; signed by another one, or by itself. */
function makeCertificate(name: string, subject: string, signer?: string): string {
  const base = join(folder, name);
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    `${base}.key`,
  ];
  const of = signer === undefined
    ? ["basicConstraints=critical,CA:TRUE"]
    : ["basicConstraints=critical,CA:FALSE", `subjectAltName=DNS:${subject}`];
  const by = signer === undefined
    ? []
    : ["-CA", `${join(folder, signer)}.pem`, "-CAkey", `${join(folder, signer)}.key`];
  const extensions = of.flatMap((extension) => ["-addext", extension]);
  const args = ["req", "-x509", "-days", "30", "-subj", `/CN=${subject}`, ...key, ...by, ...extensions];
  execFileSync("openssl", [...args, "-out", `${base}.pem`], { stdio: "ignore" });
  return `${base}.pem`;
}

/** A server with a port for TLS, and the port. */
interface TlsServer {
  readonly redis: RedisServer;
  readonly port: number;
}

async function startTls(name: string): Promise<TlsServer> {
  for (let tries = 1;; tries++) {
    const port = await freePort();
    const own = join(folder, `${name}-server-${tries}`);
    mkdirSync(own);
    const redis = redisServer(own, [
      ...["--tls-port", `${port}`, "--tls-auth-clients", "no"],
      ...["--tls-cert-file", join(folder, `${name}.pem`), "--tls-key-file", join(folder, `${name}.key`)],
      ...["--tls-ca-cert-file", join(folder, `${name}.pem`)],
    ]);
    try {
      await redis.start();
      return { redis, port };
    } catch (error) {
      // Somebody else has taken the port.
      if (tries === TRIES) throw error;
    }
  }
}

/** A port that stays, behind which the server changes. It sees what clients send first. */
async function startPlace() {
  let port = 0;
  const sockets = new Set<Socket>();
  const firstBytes = new Set<number | undefined>();
  let connections = 0;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.once("data", (bytes: Uint8Array) => {
      firstBytes.add(bytes[0]);
      connections++;
    });
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy()).on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    firstBytes,
    /** Clients that have spoken since the place leads to its server. */
    get connections() {
      return connections;
    },
    lead(to: number) {
      port = to;
      connections = 0;
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Commands that a server has got, by its own count. */
async function commandsOf({ socket }: RedisServer): Promise<string> {
  const client = createClient({ socket: { path: socket, tls: false }, RESP: 2 });
  await client.connect();
  try {
    return String(await client.sendCommand(["INFO", "commandstats"]));
  } finally {
    client.destroy();
  }
}

describe("xylem serve --sessions with a store behind TLS", () => {
  const servers: TlsServer[] = [];
  const services: Service[] = [];
  let place: Awaited<ReturnType<typeof startPlace>>;
  before(async () => {
    const authority = makeCertificate("authority", "Authority");
    makeCertificate("other-authority", "Authority");
    makeCertificate("right", "localhost", "authority");
    makeCertificate("foreign", "localhost", "other-authority");
    makeCertificate("misnamed", "store.example.org", "authority");
    for (const name of ["right", "foreign", "misnamed"]) servers.push(await startTls(name));
    place = await startPlace();
    place.lead(servers[0]!.port);
    const home = makeHome(join(folder, "home"));
    const args = ["--sessions", `rediss://localhost:${place.port}`];
    // Exactly those that docs/operate.md names for Deno.
    const permissions = [`--allow-read=${home}`, `--allow-net=127.0.0.1:0,localhost:${place.port}`];
    const authorities = { NODE_EXTRA_CA_CERTS: authority };
    services.push(
      ...await Promise.all(
        RUNTIMES.map((runtime) => startService(runtime, home, args, authorities, permissions)),
      ),
    );
  });
  after(async () => {
    for (const service of services) await service.stop();
    await place?.close();
    for (const { redis } of servers) await redis.kill();
    removeFolder(folder);
  });

  const show = async ({ url }: Service, token: string) => {
    const response = await fetch(`${url}/api/v1/sessions/${token}`);
    const { status } = await response.json();
    return response.status === 200 ? status : `${response.status} ${response.headers.get("retry-after")}`;
  };
  const untilAll = async (token: string, wanted: string) => {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const shown = await Promise.all(services.map((service) => show(service, token)));
      // Each has met the server of now.
      if (shown.every((one) => one === wanted) && place.connections >= services.length) return;
      assert.ok(Date.now() < until, `${shown.join()} ${services.map(({ output }) => output()).join("\n")}`);
      await pause(50);
    }
  };

  it("has its sessions there, on all runtimes, while the certificate is right", async () => {
    const token = await signInWith(services.map(({ url }) => url));
    await untilAll(token, "authorized");
    assert.match(await commandsOf(servers[0]!.redis), /cmdstat_eval:/);
  });

  for (const [i, name] of [[1, "of another authority"], [2, "for another name"]] as const) {
    it(`answers 503 to a certificate ${name}, sends nothing, and goes on with the right one`, async () => {
      const token = await signInWith(services.map(({ url }) => url));
      place.lead(servers[i]!.port);
      await untilAll(token, "503 5");
      const open = await fetch(`${services[0]!.url}/api/v1/sessions`, { method: "POST" });
      assert.deepEqual([open.status, open.headers.get("retry-after")], [503, "5"]);
      assert.doesNotMatch(await commandsOf(servers[i]!.redis), /cmdstat_(eval|hello|client|select|ping)/);
      place.lead(servers[0]!.port);
      await untilAll(token, "authorized");
    });
  }

  it("answers 503 to a server without TLS, and never speaks without", async () => {
    const token = await signInWith(services.map(({ url }) => url));
    // As a server of the protocol answers when it gets a handshake.
    const plain = createServer((socket) => {
      socket.on("error", () => {}).on("data", () => socket.write("-ERR Protocol error\r\n"));
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    const address = plain.address();
    place.lead(typeof address === "object" && address !== null ? address.port : 0);
    await untilAll(token, "503 5");
    place.lead(servers[0]!.port);
    await untilAll(token, "authorized");
    assert.deepEqual([...place.firstBytes], [HANDSHAKE]);
    await new Promise((resolve) => plain.close(resolve));
  });
});
