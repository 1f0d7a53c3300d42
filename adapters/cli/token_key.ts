/** Reads the key of consistency tokens. A service and its replicas have the same key. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { ALPHANUMERIC, randomText } from "../../src/session/random_text.ts";
import { fileSystem, unlessAbsent } from "../node/file_system.ts";
import { readVariable } from "./variables.ts";

/** Length of a new key, in characters, for 250 random bits. */
const KEY_LENGTH = 42;

/**
 * Returns the key from the variable `XYLEM_TOKEN_KEY`, or else from the file that `XYLEM_TOKEN_KEY_FILE`
 * names; `undefined` without both variables. If the file does not exist, it is created with a random key.
 *
 * @throws {Error} when the file cannot be read or created, or is empty.
 */
export function readTokenKey(): string | undefined {
  const key = readVariable("XYLEM_TOKEN_KEY");
  const path = readVariable("XYLEM_TOKEN_KEY_FILE");
  if (key || !path) return key || undefined;
  try {
    const read = () => readFileSync(path, "utf8").trim();
    const text = unlessAbsent(read) ?? (makeKeyFile(path), read());
    if (text === "") throw new Error("the file is empty");
    return text;
  } catch (cause) {
    throw new Error(`Cannot use ${path} as the key of consistency tokens`, { cause });
  }
}

/**
 * Creates the key file, unless another process creates it at the same moment. Other processes never see an
 * incomplete key.
 */
function makeKeyFile(path: string): void {
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(draft, `${randomText(ALPHANUMERIC, KEY_LENGTH)}\n`, { mode: 0o600, flag: "wx" });
    fileSystem.renameToFree(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
