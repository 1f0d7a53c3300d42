/**
 * Real servers of tests, on free ports of this machine: versitygw and Garage (S3), haproxy, nginx, Caddy, Prometheus.
 * `test/interop/install_bucket_servers.sh` and `test/interop/install_servers.sh` install them.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { createS3Bucket, type S3Options } from "../../extensions/replicas/bucket/s3.ts";
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import {
  accepts,
  programsFolder,
  ROOT,
  type Running,
  type Service,
  type Spawned,
  spawnProgram,
} from "./programs.ts";

/**
 * Ports below the range that the system uses for outgoing connections, so that no connection takes a port
 * between its choice and its use.
 */
const PORTS = { first: 20_000, count: 12_000 };
/** Number of further attempts on other ports after the first port was taken. */
const START_TRIES = 10;
/** Timeout from the start of a server to its first accepted connection. */
const START_LIMIT_MS = 120_000;
/** Pause between two attempts to connect. */
const CONNECT_PAUSE_MS = 20;

/** A running S3 server with one bucket, and the credentials of its owner. */
export interface S3Server extends Service {
  readonly options: Readonly<
    Record<"bucket" | "region" | "endpoint" | "accessKeyId" | "secretAccessKey", string>
  >;
  /** Environment variables with the address and credentials for `xylem`. */
  readonly variables: Readonly<Record<string, string>>;
  /** The bucket, with other options where a test needs them. */
  bucket(options?: Partial<S3Options>): Bucket;
}

/** Path of a server that `install_bucket_servers.sh` builds; throws with the command when it is missing. */
export function bucketServer(name: "versitygw" | "garage"): string {
  const path = join(programsFolder(), name, "bin", name);
  if (existsSync(path)) return path;
  const option = name === "garage" ? " --garage" : "";
  throw new Error(`No ${name}. Run: sh test/interop/install_bucket_servers.sh${option}`);
}

/** Path of a server of Debian; throws with the command that installs it when it is missing. */
export function systemServer(name: "caddy" | "haproxy" | "nginx" | "prometheus" | "promtool"): string {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"];
  const path = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (path === undefined) throw new Error(`No ${name}. Run: sh test/interop/install_servers.sh`);
  return path;
}

/** Domain below which versitygw finds buckets by the name of the host. */
export const S3_DOMAIN = "s3.example.org";

/** Options of {@link startVersitygw}. */
export interface VersitygwOptions {
  /** Port to use again after a stop. */
  readonly port?: number;
}

/**
 * Starts versitygw on the files below `folder`, which must have extended attributes; creates the folder.
 * Started again on the same folder, it has the same objects.
 */
export async function startVersitygw(folder: string, { port }: VersitygwOptions = {}): Promise<S3Server> {
  const bucket = "published";
  mkdirSync(join(folder, bucket), { recursive: true });
  const credentials = { accessKeyId: "XYLEMTESTKEY", secretAccessKey: "a-secret-of-the-tests" };
  const running = await startOnPort("versitygw", (port) => ({
    command: [
      bucketServer("versitygw"),
      ...["--port", `127.0.0.1:${port}`, "--keep-alive", "--quiet", "--virtual-domain", S3_DOMAIN],
      ...["posix", folder],
    ],
    env: { ROOT_ACCESS_KEY_ID: credentials.accessKeyId, ROOT_SECRET_ACCESS_KEY: credentials.secretAccessKey },
  }), port);
  return s3Server(running, { bucket, region: "us-east-1", ...credentials });
}

/** Starts a Garage of one node below `folder`, with a bucket and a key. */
export async function startGarage(folder: string): Promise<S3Server> {
  const bucket = "published";
  const program = bucketServer("garage");
  const configuration = join(folder, "garage.toml");
  mkdirSync(folder, { recursive: true });
  const [rpcPort] = await freePorts(1);
  const running = await startOnPort("garage", (port) => {
    const text = readFileSync(join(ROOT, "deploy", "garage.toml"), "utf8")
      .replaceAll("/var/lib/garage", folder)
      .replaceAll("127.0.0.1:3901", `127.0.0.1:${rpcPort}`)
      .replace("127.0.0.1:3900", `127.0.0.1:${port}`)
      .replace("0".repeat(64), "1799bccfd7411eddcf9ebd316bc1f5287ad12a68094e1c6ac6abde7e6feae1ec");
    writeFileSync(configuration, `${text}root_domain = ".${S3_DOMAIN}"\n`);
    return { command: [program, "-c", configuration, "server"], env: { RUST_LOG: "garage=warn" } };
  });
  const garage = (...args: string[]) =>
    execFileSync(program, ["-c", configuration, ...args], { encoding: "utf8" });
  const [node] = garage("node", "id", "-q").trim().split("@");
  garage("layout", "assign", "-z", "here", "-c", "1G", node!);
  garage("layout", "apply", "--version", "1");
  garage("bucket", "create", bucket);
  const key = garage("key", "create", "tests");
  const accessKeyId = /GK[\da-f]+/.exec(key)![0];
  const secretAccessKey = /Secret key: +([\da-f]+)/.exec(key)![1]!;
  garage("bucket", "allow", "--read", "--write", "--owner", bucket, "--key", accessKeyId);
  return s3Server(running, { bucket, region: "garage", accessKeyId, secretAccessKey });
}

/** A proxy of `deploy/` that runs. */
export interface Proxy extends Service {
  /** Its log so far: requests and its own messages. */
  log(): string;
}

/**
 * Starts a proxy with its file in `deploy/`, in front of other services, without TLS.
 *
 * @param folder Place of the configuration and of what the proxy writes.
 * @param services Base URLs; Caddy takes one.
 * @param edit Changes the text of the file.
 */
export type StartProxy = (
  folder: string,
  services: readonly string[],
  edit?: (text: string) => string,
) => Promise<Proxy>;

/** Starts haproxy with `deploy/haproxy.cfg`. */
export const startHaproxy: StartProxy = haproxyOf("haproxy.cfg");

/** Starts nginx with `deploy/nginx.conf`. */
export const startNginxBefore: StartProxy = async (folder, services, edit = unchanged) => {
  const servers = services.map((url) => `  server ${new URL(url).host};\n`);
  const log = join(folder, "access.log");
  const text = [
    ["/var/cache/nginx/xylem", join(folder, "nginx-cache")],
    ["/var/log/nginx/access.log", log],
    ["  server 127.0.0.1:8080;\n", servers.join("")],
  ].reduce((text, [part, by]) => replaced(text, part!, by!), edit(deployed("nginx.conf")));
  const running = await startNginxWith(
    folder,
    (port) => replaced(text, "listen 80;", `listen 127.0.0.1:${port};`),
  );
  return { ...running, log: () => readFileSync(log, "utf8") + running.output() };
};

/** Starts Caddy with `deploy/Caddyfile`. */
export const startCaddy: StartProxy = async (folder, [service = ""], edit = unchanged) => {
  const configuration = join(folder, "Caddyfile");
  const options = "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\tlog {";
  writeFileSync(configuration, replaced(edit(deployed("Caddyfile")), "{\n\tlog {", options));
  const running = await startOnPort("caddy", (port) => ({
    command: [systemServer("caddy"), "run", "--adapter", "caddyfile", "--config", configuration],
    env: {
      XYLEM_SITE: `http://:${port}`,
      XYLEM_SERVICE: new URL(service).host,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
    },
  }));
  return { ...running, url: `http://127.0.0.1:${running.port}`, log: running.output };
};

/** Functions that start the proxies of `deploy/`, by file name. */
export const PROXIES: Readonly<Record<string, StartProxy>> = {
  Caddyfile: startCaddy,
  "compose.haproxy.cfg": haproxyOf("compose.haproxy.cfg"),
  "haproxy.cfg": startHaproxy,
  "nginx.conf": startNginxBefore,
};

function haproxyOf(file: string): StartProxy {
  return async (folder, services, edit = unchanged) => {
    const configuration = join(folder, "haproxy.cfg");
    const program = systemServer("haproxy");
    const servers = services.map((url, i) => `  server replica${i + 1} ${new URL(url).host}\n`);
    const running = await startOnPort("haproxy", (port) => {
      const text = edit(deployed(file))
        .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
        .replace(/(?:^ {2}server .*\n)+/m, servers.join(""))
        .replace("log /dev/log ", "log stdout format raw ");
      writeFileSync(configuration, text);
      const checked = spawnSync(program, ["-c", "-q", "-f", configuration], { encoding: "utf8" });
      if (checked.status !== 0) throw new Error(`haproxy refuses its configuration: ${checked.stderr}`);
      return { command: [program, "-db", "-f", configuration], env: {} };
    });
    return { ...running, url: `http://127.0.0.1:${running.port}`, log: running.output };
  };
}

const unchanged = (text: string): string => text;

function deployed(file: string): string {
  return readFileSync(join(ROOT, "deploy", file), "utf8");
}

/** Replaces a part of a text. The part must exist. */
function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`No ${JSON.stringify(part)}`);
  return text.replace(part, by);
}

/**
 * Starts nginx with the files below `root` and its default options.
 *
 * @param folder Place of the configuration and of what nginx writes.
 */
export function startNginx(folder: string, root: string): Promise<Service> {
  return startNginxWith(folder, (port) => `  server { listen 127.0.0.1:${port}; root ${root}; }\n`);
}

async function startNginxWith(folder: string, site: (port: number) => string): Promise<Service> {
  const configuration = join(folder, "nginx.conf");
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
    `  ${name}_temp_path ${join(folder, "nginx")};\n`
  );
  const running = await startOnPort("nginx", (port) => {
    writeFileSync(
      configuration,
      `daemon off; master_process off; pid ${join(folder, "nginx.pid")};
events {}
http {
${places.join("")}  access_log off;
${site(port)}}
`,
    );
    return { command: [systemServer("nginx"), "-e", "stderr", "-c", configuration], env: {} };
  });
  return { ...running, url: `http://127.0.0.1:${running.port}` };
}

/** A program that listens on a port. */
export interface OnPort extends Running {
  readonly port: number;
}

/**
 * Starts a server on a free port or on the given one. Tries another free port if a program took the port
 * first.
 */
export async function startOnPort(
  name: string,
  start: (port: number) => { readonly command: string[]; readonly env: Record<string, string> },
  fixedPort?: number,
): Promise<OnPort> {
  let output = "";
  for (let tries = 0; tries < START_TRIES; tries++) {
    const port = fixedPort ?? (await freePorts(1))[0]!;
    const { command, env } = start(port);
    const running = spawnProgram(command, env);
    if (await listensOn(running, port)) return { ...running, port };
    output = running.output().trim();
    await running.stop();
    if (!/in use/i.test(output)) break;
  }
  throw new Error(`${name} does not listen: ${output || "no output"}`);
}

/**
 * Whether a program listens on a port by now. `false` when it has ended, or has not listened for too long.
 */
async function listensOn(running: Spawned, port: number): Promise<boolean> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (!running.hasEnded() && Date.now() < deadline) {
    if (await accepts({ port, host: "127.0.0.1" })) return !running.hasEnded();
    await new Promise((resolve) => setTimeout(resolve, CONNECT_PAUSE_MS));
  }
  return false;
}

/** Number of the next port to try. Processes begin at different numbers. */
let nextPort = process.pid * 61;

/** Returns ports that no program listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = PORTS.first + nextPort++ % PORTS.count;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    ports.push(port);
  }
  return ports;
}

function s3Server(running: OnPort, options: Omit<S3Server["options"], "endpoint">): S3Server {
  const endpoint = `http://127.0.0.1:${running.port}`;
  const all = { ...options, endpoint };
  return {
    ...running,
    url: endpoint,
    options: all,
    variables: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: options.region,
      AWS_ACCESS_KEY_ID: options.accessKeyId,
      AWS_SECRET_ACCESS_KEY: options.secretAccessKey,
    },
    bucket: (others) => createS3Bucket({ ...all, ...others }),
  };
}
