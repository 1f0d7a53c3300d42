/**
 * Runs `xylem session`, which signs in to a running service with the key of a home, as `rad-web` does. The
 * command creates sessions for scripts and for a browser.
 */
import { join } from "node:path";
import process from "node:process";
import type { Signer } from "../../src/ports/signer.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import { fileSystem } from "../node/file_system.ts";
import { findService } from "../node/running_service.ts";
import { openSigner } from "../node/signer.ts";
import { DEFAULT_ADDRESS, formatAddress } from "../server/address.ts";
import { findHome } from "./home.ts";
import type { SessionCommand } from "./parse_command.ts";
import { checkPermissions } from "./permissions.ts";
import { loadAdapter } from "./runtime.ts";
import { openAuthorized, openLink, openPageLink } from "./sign_in.ts";
import { readVariable } from "./variables.ts";

/**
 * Creates one session for scripts, and one session for each printed link. Prints the token of the session for
 * scripts, and the links with which a browser authorizes the other sessions.
 *
 * @throws {Error} with a message for the operator when there is no home, no usable key or no service, or when
 * the service belongs to another node.
 */
export async function sessionCommand(command: SessionCommand): Promise<void> {
  const { explorer } = command;
  const home = findHome(command);
  const base = command.base ?? await runningService(home) ?? formatAddress(DEFAULT_ADDRESS);
  await checkPermissions({ home, signs: true, listen: [], connect: base, serves: false });
  const signer = await openHomeSigner(home, command);
  const token = await openAuthorized(base, signer).catch((error) => {
    throw command.base === undefined
      ? new Error(`${error.message}; use --base with the address of the service`, { cause: error })
      : error;
  });
  const link = await openLink(base, signer, explorer);
  const page = await openPageLink(base, signer);
  process.stdout.write(`token  ${token}\nlink   ${link}\n${page === undefined ? "" : `page   ${page}\n`}`);
}

/**
 * Returns the URL of the service that runs on the home; `undefined` if no service is found. Only a service
 * that uses the default cache folder can be found.
 */
async function runningService(home: string): Promise<string | undefined> {
  const folder = (await loadAdapter()).usualCachePath();
  return folder === undefined ? undefined : await findService(folder, home);
}

async function openHomeSigner(home: string, { demo }: SessionCommand): Promise<Signer> {
  const publicKey = fileSystem.read(join(home, "keys", "radicle.pub"));
  if (publicKey === undefined) {
    throw new Error(
      demo
        ? "There is no demo home yet: create it with xylem --demo"
        : `No Radicle home in ${home}: keys/radicle.pub is missing; rad auth creates one; --demo uses the demo home`,
    );
  }
  return await openSigner({
    home,
    nodeId: nodeIdOfPublicKey(new TextDecoder().decode(publicKey)),
    fileSystem,
    passphrase: readVariable("RAD_PASSPHRASE"),
    agentSocket: readVariable("SSH_AUTH_SOCK"),
  })();
}
