/** `xylem serve`: finds the home, serves it, says so, and ends when it is told to. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DEFAULT_TRUSTED_ORIGINS } from "../../src/http/privilege.ts";
import { log } from "../node/log.ts";
import type { HomeServer } from "../home/serve_home.ts";
import { findCommit } from "./commit.ts";
import { findDemoHome } from "./demo.ts";
import { type ServeCommand, UsageError } from "./options.ts";
import { loadAdapter } from "./runtime.ts";

/**
 * Serves until SIGTERM or SIGINT comes; then the process ends with status 0, whatever is still going on in
 * it.
 *
 * @throws {Error} with a message for the operator when the home cannot be served or a socket not be opened.
 */
export async function serveCommand(command: ServeCommand): Promise<void> {
  const chosen = findHome(command);
  const home = chosen ?? await findDemoHome();
  const { serve, usualCachePath } = await loadAdapter();
  const cachePath = command.cache === "none" ? undefined : command.cache ?? usualCachePath();
  const commit = await findCommit();
  const serving = serve({
    home,
    listen: command.listen,
    user: () => process.env["USER"],
    passphrase: () => variable("RAD_PASSPHRASE"),
    agentSocket: () => variable("SSH_AUTH_SOCK"),
    nodeSocket: () => variable("RAD_SOCKET"),
    behindProxy: command.behindProxy,
    trustedOrigins: [...DEFAULT_TRUSTED_ORIGINS, ...command.trustedOrigins],
    signIn: command.signIn,
    wallets: command.wallets,
    ...(command.signIn === "wallet" && { serviceDomain: requireServiceDomain() }),
    ...(command.chains !== undefined && { chains: command.chains }),
    ...(commit !== undefined && { commit }),
    evaluation: command.evaluation,
    answers: command.answers,
    ...(command.objectTimeSeconds !== undefined && { objectTimeSeconds: command.objectTimeSeconds }),
    ...(cachePath !== undefined && { cachePath }),
    ...(command.maxConnections !== undefined && { maxConnections: command.maxConnections }),
    ...(command.memoryBytes !== undefined && { memoryBytes: command.memoryBytes }),
    ...(command.cacheBytes !== undefined && { cacheBytes: command.cacheBytes }),
  });
  endOn(["SIGTERM", "SIGINT"], serving);
  // When nobody reads the log any more, the service goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const server = await serving;
  if (!server.profile.hasSecretKey) {
    log("warn", "keys/radicle is missing: without the secret key nothing can be written");
  }
  if (command.objectTimeSeconds !== undefined) {
    log(
      "warn",
      `Everything is written with the time ${command.objectTimeSeconds}: for tests and recordings only`,
    );
  }
  process.stdout.write(await describe(server, chosen === undefined ? demoNote(command) : ""));
}

/** An environment variable; on Deno one that may not be read is one that is not set. */
function variable(name: string): string | undefined {
  try {
    return process.env[name];
  } catch {
    return undefined;
  }
}

/** The domain that messages of wallets must name. */
function requireServiceDomain(): string {
  const domain = variable("SERVICE_DOMAIN");
  if (!domain) {
    throw new UsageError("Cannot use --sign-in wallet: expected the domain of the service in SERVICE_DOMAIN");
  }
  return domain;
}

/** The home that was named, else the usual one; `undefined` for the demo home. */
function findHome({ demo, home }: ServeCommand): string | undefined {
  if (demo) return undefined;
  const named = home ?? process.env["RAD_HOME"];
  if (named) return named;
  const user = process.env["HOME"];
  const usual = user ? join(user, ".radicle") : undefined;
  return usual !== undefined && existsSync(usual) ? usual : undefined;
}

/** From the first signal on; a second one ends the process at once, as it does without a handler. */
function endOn(signals: readonly NodeJS.Signals[], serving: Promise<HomeServer>): void {
  const end = async () => {
    const server = await serving.catch(() => undefined);
    // What went wrong before has its own status and message.
    if (server === undefined) return;
    await server.close();
    process.exit(0);
  };
  for (const signal of signals) process.once(signal, () => void end());
}

function demoNote({ demo }: ServeCommand): string {
  return demo ? " (demo)" : " (demo: there is no home at RAD_HOME or ~/.radicle)";
}

async function describe({ home, urls, profile, storage }: HomeServer, note: string): Promise<string> {
  const count = (await storage.repositoryIds()).length;
  return [
    ...urls.map((url) => `Serving ${url}`),
    `  home          ${home}${note}`,
    `  node          ${profile.nodeId} (${profile.alias})`,
    `  repositories  ${count}`,
    "",
  ].join("\n");
}
