/** The signer of a Radicle home. It signs with the key file of the home, or through an ssh-agent. */
import type { Environment } from "../../src/ports/environment.ts";
import type { LoadSigner } from "../../src/ports/signer.ts";
import { asLoadSigner, createHomeSigner, type OpenSigner } from "../../src/keys/home_signer.ts";
import type { SignerOptions } from "../home/parts.ts";
import { connect } from "node:net";
import { KeyError } from "../../src/keys/key_error.ts";
import { type AskAgent, decodeFrame } from "../../src/keys/ssh_agent.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { sshBytes } from "../../src/bytes/ssh_bytes.ts";

/**
 * Returns a function that opens the signer of a home. The first call of this function reads the key. The call
 * rejects with `KeyError` when there is no usable key.
 */
export function openSigner({ agentSocket, ...options }: SignerOptions): OpenSigner {
  return createHomeSigner({ ...options, askAgent: agentSocket ? createAskAgent(agentSocket) : undefined });
}

/**
 * Loads the signer of a home for a service. Without a usable key, the service has no signer, and the reason
 * is logged.
 */
export function loadSigner(options: SignerOptions & { readonly log: Environment["log"] }): LoadSigner {
  return asLoadSigner(openSigner(options), options.log);
}

/** Timeout for a response of the agent, in milliseconds. An agent may ask a person first. */
export const AGENT_TIMEOUT_MS = 60_000;

/**
 * Returns a function that sends messages to the agent whose socket is at a path, each on a new connection.
 * The function rejects with `KeyError` when the agent does not respond.
 */
export function createAskAgent(path: string, timeoutMs: number = AGENT_TIMEOUT_MS): AskAgent {
  return (message) =>
    new Promise((resolve, reject) => {
      let received = new Uint8Array();
      const socket = connect(path);
      const fail = (reason: string) => {
        socket.destroy();
        reject(new KeyError(reason));
      };
      socket.setTimeout(timeoutMs, () => fail("ssh-agent does not answer in time"));
      socket.on("error", () => fail("Cannot reach ssh-agent"));
      socket.on("close", () => fail("ssh-agent closed the connection"));
      socket.on("data", (chunk) => {
        received = joinBytes([received, chunk as Uint8Array]); // Without an encoding, chunks are bytes.
        try {
          const answer = decodeFrame(received);
          if (answer === undefined) return;
          resolve(answer);
          socket.destroy();
        } catch (error) {
          socket.destroy();
          reject(error);
        }
      });
      socket.write(sshBytes(message));
    });
}
