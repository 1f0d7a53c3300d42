/** A real `redis-server`, for sessions: `sh test/interop/install_servers.sh` installs it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { createServer } from "node:net";
import process from "node:process";
import { PATIENCE_MS } from "../support/patience.ts";

const PATH = [process.env["PATH"], "/usr/bin"].join(delimiter);

/** A server that listens on a Unix socket, which stays at its place when the server is started again. */
export interface RedisServer {
  readonly socket: string;
  /** Starts the server; what it had is gone. */
  start(): Promise<void>;
  /** Kills the server at once. */
  kill(): Promise<void>;
  /** Stops the process, so that it keeps connections and answers nothing; or lets it go on. */
  freeze(isFrozen: boolean): void;
}

/** Makes a server in a folder. `options` are further words of its command line. */
export function redisServer(folder: string, options: readonly string[] = []): RedisServer {
  const socket = join(folder, "redis.sock");
  let child: ChildProcess | undefined;
  return {
    socket,
    async start() {
      const args = [
        "--port",
        "0",
        "--unixsocket",
        socket,
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        folder,
      ];
      child = spawn("redis-server", [...args, ...options], {
        env: { PATH },
        stdio: ["ignore", "pipe", "inherit"],
        timeout: PATIENCE_MS,
        killSignal: "SIGKILL",
      });
      const started = child;
      await new Promise<void>((resolve, reject) => {
        let said = "";
        started.on(
          "error",
          () => reject(new Error("redis-server is missing: sh test/interop/install_servers.sh")),
        );
        started.once("close", () => reject(new Error(`redis-server ended: ${said}`)));
        started.stdout!.setEncoding("utf8").on("data", (text) => {
          said += text;
          if (/eady to accept connections/.test(said)) resolve();
        });
      });
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "close");
      process.kill(child.pid!, "SIGKILL");
      await ended;
    },
    freeze: (isFrozen) => void process.kill(child!.pid!, isFrozen ? "SIGSTOP" : "SIGCONT"),
  };
}

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
