/** Which key a home signs with, read through a file system of one file. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asLoadSigner, createHomeSigner, type HomeSignerOptions } from "../../src/keys/home_signer.ts";
import { importEd25519 } from "../../src/keys/ed25519.ts";
import { unlockSecretKey } from "../../src/keys/secret_key_file.ts";
import type { AskAgent } from "../../src/keys/ssh_agent.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { sshBytes } from "../../src/bytes/ssh_bytes.ts";
import type { FileSystem } from "../../src/ports/file_system.ts";
import { buildKeyFile, ENCRYPTED, nodeIdOf, PLAIN, PUBLIC, SECRET } from "./key_files.ts";

const HOME = "/home/alice/.radicle";
const MESSAGE = Uint8Array.of(1, 2, 3);
const SIGNATURE = await (await importEd25519(SECRET)).sign(MESSAGE);

/** A home whose secret key file a test may change. */
function makeHome(text: string | Uint8Array | undefined, options: Partial<HomeSignerOptions> = {}) {
  let bytes = text === undefined ? undefined : toBytes(text);
  const fileSystem: Pick<FileSystem, "open"> = {
    open(path) {
      const file = path === `${HOME}/keys/radicle` ? bytes : undefined;
      return file && { size: file.length, read: (into) => (into.set(file), file.length), close() {} };
    },
  };
  const all = { home: HOME, nodeId: PLAIN.nodeId, fileSystem, ...options };
  return {
    open: createHomeSigner(all),
    write: (text: string | Uint8Array | undefined) =>
      void (bytes = text === undefined ? undefined : toBytes(text)),
  };
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** An agent that holds the key of {@link PLAIN} and has another sign for it; counts what it is asked. */
function makeAgent(publicKey: Uint8Array = PUBLIC, signature: Uint8Array = SIGNATURE) {
  const asked: number[] = [];
  const ask: AskAgent = (request) => {
    asked.push(request[0]!);
    return Promise.resolve(
      request[0] === 11
        ? joinBytes([Uint8Array.of(12), sshBytes(1, sshBytes("ssh-ed25519", publicKey), "")])
        : joinBytes([Uint8Array.of(14), sshBytes(sshBytes("ssh-ed25519", signature))]),
    );
  };
  return { asked, ask };
}

const noAgent: AskAgent = () => assert.fail("the agent was asked");
const fails = (answer: Promise<unknown>, message: RegExp) =>
  assert.rejects(answer, { name: "KeyError", message });

describe("the signer of a home", () => {
  it("is the secret key when it lies open, whatever passphrase and agent there are", async () => {
    for (const passphrase of [undefined, "", "unused"]) {
      const signer = await makeHome(PLAIN.file, { passphrase, askAgent: noAgent }).open();
      assert.equal(signer.nodeId, PLAIN.nodeId);
      assert.deepEqual(await signer.sign(MESSAGE), SIGNATURE);
    }
  });

  it("is the secret key unlocked with the passphrase, whatever agent there is", async () => {
    const { nodeId, passphrase } = ENCRYPTED;
    const signer = await makeHome(ENCRYPTED.file, { nodeId, passphrase, askAgent: noAgent }).open();
    assert.equal((await signer.sign(MESSAGE)).length, 64);
  });

  it("is missing when the passphrase is wrong, even with an agent", async () => {
    const { nodeId } = ENCRYPTED;
    await fails(makeHome(ENCRYPTED.file, { nodeId, passphrase: "x", askAgent: noAgent }).open(), /is wrong/);
  });

  for (const passphrase of [undefined, ""]) {
    it(`is the agent's when the key is encrypted and the passphrase is ${JSON.stringify(passphrase)}`, async () => {
      const encrypted = buildKeyFile({
        cipher: "aes256-ctr",
        kdf: "bcrypt",
        kdfOptions: sshBytes("salt", 16),
        privateSection: new Uint8Array(16),
      });
      const agent = makeAgent();
      const signer = await makeHome(encrypted, { passphrase, askAgent: agent.ask }).open();
      assert.deepEqual(await signer.sign(MESSAGE), SIGNATURE);
      assert.deepEqual(agent.asked, [11, 13]);
    });
  }

  it("is missing when the key is encrypted and the agent does not hold it, or there is no agent", async () => {
    const { nodeId } = ENCRYPTED;
    await fails(makeHome(ENCRYPTED.file, { nodeId, askAgent: makeAgent().ask }).open(), /does not hold/);
    await fails(makeHome(ENCRYPTED.file, { nodeId }).open(), /has a passphrase/);
  });

  it("is missing without a secret key file, whatever agent there is", async () => {
    await fails(makeHome(undefined, { askAgent: noAgent }).open(), /keys\/radicle is missing/);
  });

  it("is missing when the file may not be read, and the reason is logged", async () => {
    const fileSystem = {
      open(): never {
        throw new Error("permission denied");
      },
    };
    const { open } = makeHome(PLAIN.file, { fileSystem, askAgent: noAgent });
    await fails(open(), /^The secret key cannot be read: permission denied$/);
  });

  it("is missing when the secret key is another node's", async () => {
    const nodeId = await nodeIdOf(1);
    await fails(makeHome(PLAIN.file, { nodeId }).open(), /does not belong to keys\/radicle.pub/);
    await fails(makeHome(ENCRYPTED.file, { nodeId, passphrase: "correct horse" }).open(), /does not belong/);
  });

  it("is missing when the file is too large to be a key", async () => {
    await fails(makeHome(new Uint8Array(2 ** 20)).open(), /larger than/);
  });

  it("comes and goes with its file", async () => {
    const home = makeHome(undefined);
    await fails(home.open(), /missing/);
    home.write(PLAIN.file);
    assert.equal((await home.open()).nodeId, PLAIN.nodeId);
    home.write(ENCRYPTED.file);
    await fails(home.open(), /does not belong/);
    home.write(undefined);
    await fails(home.open(), /missing/);
    home.write(PLAIN.file);
    assert.deepEqual(await (await home.open()).sign(MESSAGE), SIGNATURE);
  });

  it("is unlocked once for all who ask while the file stays, also in vain", async () => {
    for (const passphrase of ["correct horse", "wrong"]) {
      const { nodeId } = ENCRYPTED;
      let unlocked = 0;
      const unlock: typeof unlockSecretKey = (...args) => (unlocked++, unlockSecretKey(...args));
      const home = makeHome(ENCRYPTED.file, { nodeId, passphrase, unlock });
      await Promise.allSettled([home.open(), home.open()]);
      await Promise.allSettled([home.open(), home.open()]);
      assert.equal(unlocked, 1);
    }
  });
});

describe("the signer of a service", () => {
  function load(open: Parameters<typeof asLoadSigner>[0]) {
    const lines: string[] = [];
    const log = (level: string, message: string, cause?: unknown) =>
      void lines.push(`${level} ${message}: ${cause instanceof Error ? cause.message : cause}`);
    return { lines, load: asLoadSigner(open, log) };
  }

  it("is the home's", async () => {
    const { lines, load: loadSigner } = load(makeHome(PLAIN.file).open);
    const signer = await loadSigner();
    assert.equal(signer?.nodeId, PLAIN.nodeId);
    assert.deepEqual(await signer?.sign(MESSAGE), SIGNATURE);
    assert.deepEqual(lines, []);
  });

  it("is absent when there is no usable key, and the log says why", async () => {
    const { lines, load: loadSigner } = load(makeHome(undefined).open);
    assert.equal(await loadSigner(), undefined);
    assert.deepEqual(lines, ["warn Cannot sign: There is no secret key: keys/radicle is missing"]);
  });

  it("makes a request unauthorized when the agent refuses to sign", async () => {
    const agent = makeAgent(PUBLIC, new Uint8Array(64));
    const open = makeHome(
      buildKeyFile({
        cipher: "aes256-ctr",
        kdf: "bcrypt",
        kdfOptions: sshBytes("salt", 16),
        privateSection: new Uint8Array(16),
      }),
      { askAgent: agent.ask },
    ).open;
    const { lines, load: loadSigner } = load(open);
    const signer = await loadSigner();
    await assert.rejects(signer!.sign(MESSAGE), { name: "UnauthorizedError" });
    assert.deepEqual(lines, ["warn Cannot sign: ssh-agent gave a signature that does not verify"]);
  });

  it("does not hide other failures", async () => {
    const failure = new Error("disk");
    const { lines, load: loadSigner } = load(() => Promise.reject(failure));
    await assert.rejects(Promise.resolve(loadSigner()), failure);
    assert.deepEqual(lines, []);
  });
});
