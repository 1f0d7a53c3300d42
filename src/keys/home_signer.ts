/**
 * Creates the signer of a Radicle home, which chooses the key as Radicle does. If the file `keys/radicle` is
 * not encrypted, or if a passphrase is given, the key in the file is used. If the file is encrypted and no
 * passphrase is given, an ssh-agent that has the same key is used. A wrong passphrase is an error even if an
 * agent has the key.
 */
import { isSameBytes } from "../bytes/bytes.ts";
import { messageOf, UnauthorizedError } from "../errors.ts";
import type { Ed25519Key } from "./ed25519.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Environment } from "../ports/environment.ts";
import type { FileSystem, OpenFile } from "../ports/file_system.ts";
import type { LoadSigner, Signer } from "../ports/signer.ts";
import { KeyError } from "./key_error.ts";
import { MAX_KEY_FILE_BYTES, parseSecretKeyFile, unlockSecretKey } from "./secret_key_file.ts";
import { type AskAgent, openAgentSigner } from "./ssh_agent.ts";

/** Settings with which {@link createHomeSigner} finds and unlocks the key. */
export interface HomeSignerOptions {
  /** Absolute path of the Radicle home. */
  readonly home: string;
  /** Id of the home's node, which contains its public key. */
  readonly nodeId: NodeId;
  readonly fileSystem: Pick<FileSystem, "open">;
  /** Value of `RAD_PASSPHRASE`. An empty passphrase is ignored, as in current Radicle programs. */
  readonly passphrase?: string | undefined;
  /** Sends a request to the ssh-agent. Absent if there is no agent. */
  readonly askAgent?: AskAgent | undefined;
  /** Unlocks a secret key file. If the file is encrypted, this takes about 200 ms of processor time. */
  readonly unlock?: typeof unlockSecretKey;
}

/** Opens the signer. Rejects with a `KeyError` when there is no usable key. */
export type OpenSigner = () => Promise<Signer>;

/**
 * Creates the function that opens the signer of a home. Each call of this function reads the key file, so
 * that a file that is added, changed or removed takes effect at once. While the bytes of the file stay the
 * same, an unlocked key is reused, and a wrong passphrase is not tried again.
 */
export function createHomeSigner(options: HomeSignerOptions): OpenSigner {
  const { home, nodeId, fileSystem, passphrase = "", askAgent, unlock = unlockSecretKey } = options;
  let unlocked: { readonly bytes: Uint8Array; readonly key: Promise<Ed25519Key> } | undefined;
  return async () => {
    const bytes = readKeyFile(fileSystem, `${home}/keys/radicle`);
    if (unlocked === undefined || !isSameBytes(unlocked.bytes, bytes)) {
      const file = parseSecretKeyFile(bytes);
      if (!isSameBytes(file.publicKey, nidToPublicKey(nodeId))) {
        throw new KeyError("The secret key file does not belong to keys/radicle.pub");
      }
      if (file.encryption && passphrase === "") {
        if (askAgent === undefined) {
          throw new KeyError(
            "The secret key has a passphrase: provide it, or an ssh-agent that holds the key",
          );
        }
        return await openAgentSigner(askAgent, nodeId);
      }
      unlocked = { bytes, key: unlock(file, passphrase) };
    }
    const key = await unlocked.key;
    return { nodeId, sign: (message) => key.sign(message) };
  };
}

/**
 * Converts an {@link OpenSigner} to a {@link LoadSigner}. If the key is unusable, the returned function logs
 * the reason and resolves with `undefined`.
 */
export function asLoadSigner(open: OpenSigner, log: Environment["log"]): LoadSigner {
  const unusable = (error: unknown) => {
    if (!(error instanceof KeyError)) throw error;
    log("warn", "Cannot sign", error);
  };
  return async () => {
    try {
      const { nodeId, sign } = await open();
      return {
        nodeId,
        sign: (message) =>
          sign(message).catch((error) => {
            unusable(error);
            throw new UnauthorizedError("Unauthorized");
          }),
      };
    } catch (error) {
      return void unusable(error);
    }
  };
}

function openKeyFile(fileSystem: HomeSignerOptions["fileSystem"], path: string): OpenFile | undefined {
  try {
    return fileSystem.open(path);
  } catch (error) {
    throw new KeyError(`The secret key cannot be read: ${messageOf(error)}`);
  }
}

function readKeyFile(fileSystem: HomeSignerOptions["fileSystem"], path: string): Uint8Array<ArrayBuffer> {
  const file = openKeyFile(fileSystem, path);
  if (file === undefined) throw new KeyError("There is no secret key: keys/radicle is missing");
  try {
    if (file.size > MAX_KEY_FILE_BYTES) {
      throw new KeyError(`The secret key file is larger than ${MAX_KEY_FILE_BYTES} bytes`);
    }
    const bytes = new Uint8Array(file.size);
    return bytes.subarray(0, file.read(bytes, 0));
  } finally {
    file.close();
  }
}
