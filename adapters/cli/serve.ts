/** `xylem serve`: finds the home, serves it, says so, and ends when it is told to. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DEFAULT_TRUSTED_ORIGINS } from "../../src/http/privilege.ts";
import type { HomeServer } from "../serve_home.ts";
import { log } from "../log.ts";
import { demoHome } from "./demo.ts";
import type { ServeCommand } from "./options.ts";
import { loadAdapter } from "./runtime.ts";

/**
 * Serves until SIGTERM or SIGINT comes.
 *
 * @throws {Error} with a message for the operator when the home cannot be served or a socket not be opened.
 */
export async function serveCommand(command: ServeCommand): Promise<void> {
  const home = await findHome(command);
  const { serve } = await loadAdapter();
  const server = await serve({
    home,
    listen: command.listen,
    user: () => process.env["USER"],
    behindProxy: command.behindProxy,
    trustedOrigins: [...DEFAULT_TRUSTED_ORIGINS, ...command.trustedOrigins],
  });
  endOn(["SIGTERM", "SIGINT"], server);
  if (!server.profile.hasSecretKey) {
    log("warn", "keys/radicle is missing: without a secret key nothing can be written");
  }
  process.stdout.write(await describe(server));
}

async function findHome({ demo, home }: ServeCommand): Promise<string> {
  if (demo) return await demoHome();
  const chosen = home ?? process.env["RAD_HOME"];
  if (chosen) return chosen;
  const user = process.env["HOME"];
  const usual = user ? join(user, ".radicle") : undefined;
  return usual !== undefined && existsSync(usual) ? usual : await demoHome();
}

/** A request that never ends must not keep the process: it ends when the server says that it has closed. */
function endOn(signals: readonly NodeJS.Signals[], server: HomeServer): void {
  for (const signal of signals) {
    process.once(signal, () => void server.close().finally(() => process.exit(0)));
  }
}

async function describe({ home, urls, profile, storage }: HomeServer): Promise<string> {
  const count = (await storage.repositoryIds()).length;
  return [
    ...urls.map((url) => `Serving ${url}`),
    `  home          ${home}`,
    `  node          ${profile.nodeId} (${profile.alias})`,
    `  repositories  ${count}`,
    "",
  ].join("\n");
}
