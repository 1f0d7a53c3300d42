/** The signer of a Radicle home: its key file, or an ssh-agent behind `node:net`. */
import type { Environment } from "../../src/ports/environment.ts";
import type { LoadSigner } from "../../src/ports/signer.ts";
import { asLoadSigner, createHomeSigner, type OpenSigner } from "../../src/keys/home_signer.ts";
import type { SignerOptions } from "../home/parts.ts";
import { createAskAgent } from "./ssh_agent.ts";

/**
 * Opens the signer of a home; nothing is read before the first call, which rejects with `KeyError` without a
 * usable key.
 */
export function openSigner({ agentSocket, ...options }: SignerOptions): OpenSigner {
  return createHomeSigner({ ...options, askAgent: agentSocket ? createAskAgent(agentSocket) : undefined });
}

/** As {@link openSigner}, for a service: without a usable key there is no signer, and the log says why. */
export function loadSigner(options: SignerOptions & { readonly log: Environment["log"] }): LoadSigner {
  return asLoadSigner(openSigner(options), options.log);
}
