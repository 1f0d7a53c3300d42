/** Runs `xylem serve`: finds the home, serves it, and prints the addresses of the service. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { DEFAULT_TRUSTED_ORIGINS } from "../../src/http/privilege.ts";
import type { HomeServer } from "../home/serve_home.ts";
import { announceService } from "../node/running_service.ts";
import { isStoreUrl } from "../node/sessions.ts";
import { ListenError } from "../server/server.ts";
import { makeDemo } from "./demo.ts";
import { present, UsageError } from "./command_line.ts";
import type { ServeCommand } from "./parse_command.ts";
import { checkPermissions, mayUseFolder } from "./permissions.ts";
import { Progress } from "./progress.ts";
import { loadAdapter } from "./runtime.ts";
import { cachePathOf, introduce, localUrl, operated, serviceOptions, started, watchedBy } from "./service.ts";
import { NO_HOME_VARIABLE, readVariable, usualHome } from "./variables.ts";

/**
 * Serves until SIGTERM or SIGINT. The process then ends with status 0, even if work is unfinished.
 *
 * @throws {Error} with a message for the operator when the home cannot be served or a socket cannot be
 * opened.
 */
export async function serveCommand(command: ServeCommand): Promise<void> {
  const progress = new Progress();
  const chosen = await findHome(command);
  const home = chosen ?? await makeDemo();
  const { serve, usualCachePath, createServer } = await loadAdapter();
  const { sessions, "object-time": objectTimeSeconds } = command;
  const missing = await checkPermissions({
    home: resolve(home),
    listen: [...command.listen, ...command.metrics === undefined ? [] : [command.metrics]],
    nodeSocket: readVariable("RAD_SOCKET") || resolve(home, "node", "control.sock"),
    ...present({
      cachePath: command.cache && cachePathOf(command, usualCachePath),
      sessions: sessions === "memory" ? undefined : isStoreUrl(sessions) ? sessions : resolve(sessions),
    }),
    serves: true,
  });
  const ending = await operated(command, progress, createServer, { isReplica: false });
  const server = await started(
    serve({
      operator: ending.operation,
      watchSessions: watchedBy(ending, "session_store"),
      ...await serviceOptions(command, progress, usualCachePath),
      home,
      user: () => readVariable("USER"),
      passphrase: () => readVariable("RAD_PASSPHRASE"),
      agentSocket: () => readVariable("SSH_AUTH_SOCK"),
      nodeSocket: () => readVariable("RAD_SOCKET"),
      behindProxy: command["behind-proxy"] ?? false,
      clients: { trustedOrigins: [...DEFAULT_TRUSTED_ORIGINS, ...command["trust-origin"] ?? []] },
      sessions,
      warmUp: !command["no-warm-up"],
      ...present({
        wallets: command["sign-in"] === "wallet"
          ? { addresses: command.wallet ?? [], domain: requireServiceDomain(), chains: command.chain }
          : undefined,
      }),
    }),
    progress,
    ending,
    withAdvice,
  );
  if (missing !== undefined) progress.log("warn", missing);
  if (server.profile.hasSecretKey === false) {
    progress.log("warn", "keys/radicle is missing: nothing can be changed without the secret key");
  }
  if (objectTimeSeconds !== undefined) {
    progress.log(
      "warn",
      `Every object is written with the time ${objectTimeSeconds} (--object-time): use it for tests and recordings only`,
    );
  }
  await announce(server, cachePathOf(command, usualCachePath), progress);
  const facts = await factsOf(server, chosen === undefined ? demoNote(command) : "");
  introduce(server, { ...facts, ...present({ metrics: ending.metricsUrl }) }, progress);
}

/** Saves the address of the service in the default cache folder, where `xylem session` finds it. */
async function announce(
  server: HomeServer,
  cachePath: string | undefined,
  { log }: Progress,
): Promise<void> {
  const url = localUrl(server);
  if (url === undefined || cachePath === undefined || !await mayUseFolder(cachePath)) return;
  await announceService(cachePath, server.home, url).catch((error) => {
    log("warn", "The address of the service cannot be saved: use xylem session with --base", error);
  });
}

/** Returns the domain that sign-in messages of wallets must name. */
function requireServiceDomain(): string {
  const domain = readVariable("SERVICE_DOMAIN");
  if (!domain) {
    throw new UsageError("Cannot use --sign-in wallet: set SERVICE_DOMAIN to the domain of the service");
  }
  return domain;
}

/**
 * Returns the home from the command line or the environment, or else the default home; `undefined` for the
 * demo home.
 *
 * @throws {Error} when the default home may not be read.
 */
async function findHome({ demo, home }: ServeCommand): Promise<string | undefined> {
  if (demo) return undefined;
  const named = home ?? readVariable("RAD_HOME");
  if (named) return named;
  const usual = usualHome();
  if (usual !== undefined) await checkPermissions({ home: usual, listen: [], serves: false });
  return usual !== undefined && existsSync(usual) ? usual : undefined;
}

/** Adds advice for the user to the message of an error, if there is advice for this error. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error;
  const advice = message.startsWith("No Radicle home in ")
    ? "rad auth creates one; --demo serves a demo home"
    : error instanceof ListenError && message.endsWith("the address is in use")
    ? "choose another one with --port"
    : undefined;
  return advice === undefined ? error : new Error(`${message}; ${advice}`, { cause: error });
}

function demoNote({ demo }: ServeCommand): string {
  if (demo) return " (demo)";
  return usualHome() === undefined
    ? ` (demo: ${NO_HOME_VARIABLE})`
    : " (demo: there is no home at RAD_HOME or ~/.radicle)";
}

async function factsOf({ home, profile, storage }: HomeServer, note: string) {
  return {
    home: `${home}${note}`,
    node: `${profile.nodeId} (${profile.alias})`,
    repositories: `${(await storage.repositoryIds()).length}`,
  };
}
