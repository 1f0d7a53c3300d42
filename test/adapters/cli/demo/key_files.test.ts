/** Key files of new homes: the bytes that Radicle writes, and what reads them back. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importEd25519, SECRET_KEY_BYTES } from "../../../../src/keys/ed25519.ts";
import { formatNid } from "../../../../src/ids/nid.ts";
import { parseSecretKeyFile, unlockSecretKey } from "../../../../src/keys/secret_key_file.ts";
import {
  createSecretKey,
  formatPublicKeyFile,
  formatSecretKeyFile,
} from "../../../../adapters/cli/demo/key_files.ts";
import { nodeIdOfPublicKey } from "../../../../src/profile/public_key.ts";
import { PLAIN, PUBLIC, SECRET } from "../../../keys/key_files.ts";

/** The key of the seed 32 × ff in the public key file that `rad auth` writes. */
const PUBLIC_FILE =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHahWSBEpuT1ESZbynOmBNkLBSnR32Ar4woZqSV2YNH1 radicle\n";

/** The key of the bytes 1 to 32 in the secret key file that `rad auth` writes. */
const COUNTED_FILE = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACB5tVYuj+ZU+UB4sRLoqYunkB+FOuaVvtfg45ELrQSWZAAAAJAAAAAgAAAA
IAAAAAtzc2gtZWQyNTUxOQAAACB5tVYuj+ZU+UB4sRLoqYunkB+FOuaVvtfg45ELrQSWZA
AAAEABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fIHm1Vi6P5lT5QHixEuipi6eQ
H4U65pW+1+DjkQutBJZkAAAAB3JhZGljbGUBAgMEBQY=
-----END OPENSSH PRIVATE KEY-----
`;

describe("a written secret key file", () => {
  it("has the bytes that Radicle writes for the same key", async () => {
    assert.equal(formatSecretKeyFile(SECRET, PUBLIC), PLAIN.file);
    const counted = Uint8Array.from({ length: SECRET_KEY_BYTES }, (_, i) => i + 1);
    const { publicKey } = await importEd25519(counted);
    assert.equal(formatSecretKeyFile(counted, publicKey), COUNTED_FILE);
  });

  it("is read back as the key that it was made of", async () => {
    for (let keys = 0; keys < 20; keys++) {
      const secret = createSecretKey();
      const { publicKey } = await importEd25519(secret);
      const file = parseSecretKeyFile(new TextEncoder().encode(formatSecretKeyFile(secret, publicKey)));
      assert.deepEqual((await unlockSecretKey(file, "")).publicKey, publicKey);
    }
  });
});

describe("a written public key file", () => {
  it("has the bytes that Radicle writes for the same key", async () => {
    const { publicKey } = await importEd25519(new Uint8Array(SECRET_KEY_BYTES).fill(0xff));
    assert.equal(formatPublicKeyFile(publicKey), PUBLIC_FILE);
  });

  it("names the node", () => {
    assert.equal(nodeIdOfPublicKey(formatPublicKeyFile(PUBLIC)), formatNid(PUBLIC));
  });
});

describe("a created secret key", () => {
  it("is another one each time", () => {
    assert.equal(createSecretKey().length, SECRET_KEY_BYTES);
    assert.notDeepEqual(createSecretKey(), createSecretKey());
  });
});
