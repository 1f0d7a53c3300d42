/**
 * Stand-ins of npm's registry and of JSR on the loopback interface. npm's has the packed package and the
 * dependencies as they are installed here; JSR's has what `deno publish` sends to it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { ROOT } from "../support/programs.ts";
import { CONSUMER } from "./consumer.ts";

/** Both registries. */
export interface Registries {
  /** Variables for programs that are to use them, and to reach the network through them alone. */
  readonly env: Readonly<Record<string, string>>;
  /** Addresses beyond the loopback interface that programs have asked for, in vain. */
  readonly foreign: readonly string[];
  close(): void;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Starts both registries on one port. */
export async function startRegistries(): Promise<Registries> {
  const published = mkdtempSync(join(CONSUMER, "jsr-"));
  const foreign: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  server.on("connect", (request, socket) => {
    foreign.push(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, pathname } = new URL(request.url ?? "/", base);
    if (origin !== base) {
      foreign.push(origin);
      return void response.writeHead(403).end();
    }
    const path = decodeURIComponent(pathname);
    const [, tarball] = /^\/npm\/-\/(.+)\.tgz$/.exec(path) ?? [];
    const [, name] = /^\/npm\/((?:@[^/]+\/)?[^/@]+)$/.exec(path) ?? [];
    const asked = tarball ?? name;
    // npm asks for the newest npm. After a 500 it would ask again for 70 seconds, and only then end.
    if (asked !== undefined && !existsSync(folderOf(asked))) return void response.writeHead(404).end("{}");
    if (tarball !== undefined) return void response.end(packOf(tarball));
    if (name !== undefined) return json(response, packument(name));
    if (path.startsWith("/api/")) return await answerApi(request, response, path);
    return serveModule(response, path);
  }

  function json(response: ServerResponse, value: unknown): void {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(value));
  }

  /** The document of npm's registry on one package, with its one version. */
  function packument(name: string): unknown {
    const manifest = manifestOf(name);
    // Runtimes and compilers, of a hundred megabytes each, must not be installed here.
    const isInstalled = name === "xylem-http" || dependencies.has(name);
    const digest = isInstalled && createHash("sha512").update(packOf(name)).digest("base64");
    const dist = { tarball: `${base}/npm/-/${name}.tgz`, ...digest && { integrity: `sha512-${digest}` } };
    const { version } = manifest;
    return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
  }

  /** The part of JSR's management API that `deno publish` uses. */
  async function answerApi(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    if (request.method !== "POST") {
      if (path.includes("/versions/")) {
        return void response.writeHead(404).end(`{"code":"notFound","message":""}`);
      }
      const task = { id: "1", status: "success", error: null };
      return json(response, path.includes("/publish_") ? task : { scope: "xylem", name: "http" });
    }
    const [, version = ""] = /\/versions\/(.+)$/.exec(path) ?? [];
    mkdirSync(join(published, version), { recursive: true });
    const body = await buffer(request);
    execFileSync("tar", ["-xf", "-", "-C", join(published, version)], { input: gunzipSync(body) });
    return json(response, { id: "1", status: "pending", error: null });
  }

  /** The modules of JSR, and its documents on the package and its version. */
  function serveModule(response: ServerResponse, path: string): void {
    const [, rest] = /^\/@xylem\/http\/(.+)$/.exec(path) ?? [];
    if (rest === undefined || !existsSync(join(published, jsrVersion()))) {
      return void response.writeHead(404).end();
    }
    if (rest === "meta.json") {
      return json(response, {
        scope: "xylem",
        name: "http",
        latest: jsrVersion(),
        versions: { [jsrVersion()]: {} },
      });
    }
    if (rest === `${jsrVersion()}_meta.json`) return json(response, versionMeta());
    response.setHeader("content-type", rest.endsWith(".js") ? "text/javascript" : "text/typescript");
    response.end(readFileSync(join(published, rest)));
  }

  function versionMeta(): unknown {
    const folder = join(published, jsrVersion());
    const files = execFileSync("find", [folder, "-type", "f"], { encoding: "utf8" }).trim().split("\n");
    const { exports } = JSON.parse(readFileSync(join(folder, "deno.json"), "utf8"));
    const manifest = Object.fromEntries(files.map((file) => {
      const checksum = `sha256-${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
      return [file.slice(folder.length), { size: statSync(file).size, checksum }];
    }));
    return { manifest, exports };
  }

  const proxies = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, base]);
  return {
    env: {
      NPM_CONFIG_REGISTRY: `${base}/npm/`,
      npm_config_registry: `${base}/npm/`,
      JSR_URL: `${base}/`,
      ...Object.fromEntries(proxies),
      no_proxy: "127.0.0.1,localhost",
      NO_PROXY: "127.0.0.1,localhost",
      // Deno asks for a newer Deno otherwise.
      DENO_NO_UPDATE_CHECK: "1",
    },
    foreign,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function jsrVersion(): string {
  return JSON.parse(readFileSync(join(ROOT, "deno.json"), "utf8")).version;
}

function folderOf(name: string): string {
  return join(name === "xylem-http" ? CONSUMER : ROOT, "node_modules", name);
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8"));
}

/** Names of the packages that the package needs. */
const dependencies = new Set<string>();
for (const names = ["xylem-http"]; names.length > 0;) {
  const { dependencies: needed = {} } = manifestOf(names.pop()!);
  for (const name of Object.keys(needed).filter((name) => !dependencies.has(name))) {
    dependencies.add(name);
    names.push(name);
  }
}

const packs = new Map<string, Uint8Array>();

/** A package as npm's registry has it: the packed one, or an installed one, packed again. */
function packOf(name: string): Uint8Array {
  let pack = packs.get(name);
  if (pack === undefined) {
    pack = name === "xylem-http"
      ? readFileSync(join(CONSUMER, "package.tgz"))
      : execFileSync("tar", ["-czf", "-", "--transform", "s,^\\.,package,", "-C", folderOf(name), "."], {
        maxBuffer: 2 ** 28,
      });
    packs.set(name, pack);
  }
  return pack;
}
