/** The signer of a home, against keys and an agent of OpenSSH itself. Skipped where that is not installed. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileSystem } from "../../../adapters/node/file_system.ts";
import { loadSigner, openSigner } from "../../../adapters/node/signer.ts";
import { verifyEd25519 } from "../../../src/keys/ed25519.ts";
import { nidToPublicKey } from "../../../src/ids/nid.ts";
import { nodeIdOfPublicKey } from "../../../src/profile/public_key.ts";

const MESSAGE = new TextEncoder().encode("hello");
const skip =
  ["ssh-keygen", "ssh-agent", "ssh-add"].every((name) => spawnSync(name, ["-?"]).error === undefined)
    ? false
    : "OpenSSH is not installed";

const folder = skip === false ? mkdtempSync(join(tmpdir(), "xylem-openssh-")) : "";
const socketPath = join(folder, "agent");

function run(program: string, args: readonly string[], env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
}

/** A home with a new key. */
function makeHome(name: string, passphrase: string, ...options: readonly string[]) {
  const home = join(folder, name);
  mkdirSync(join(home, "keys"), { recursive: true });
  run("ssh-keygen", [
    "-q",
    "-t",
    "ed25519",
    "-N",
    passphrase,
    "-C",
    "radicle",
    ...options,
    "-f",
    join(home, "keys", "radicle"),
  ]);
  return {
    home,
    nodeId: nodeIdOfPublicKey(readFileSync(join(home, "keys", "radicle.pub"), "utf8")),
    fileSystem,
  };
}

async function assertSigns(
  signer: Awaited<ReturnType<ReturnType<typeof openSigner>>>,
  home: ReturnType<typeof makeHome>,
) {
  assert.equal(signer.nodeId, home.nodeId);
  const signature = await signer.sign(MESSAGE);
  const signed = { publicKey: nidToPublicKey(home.nodeId), message: MESSAGE, signature };
  assert.equal(await verifyEd25519("both", signed), true);
}

after(() => {
  if (folder !== "") rmSync(folder, { recursive: true, force: true });
});

describe("a key of ssh-keygen", { skip }, () => {
  it("signs when it lies open", async () => {
    const home = makeHome("plain", "");
    await assertSigns(await openSigner(home)(), home);
  });

  for (
    const [passphrase, ...options] of [["correct horse"], ["ü🪵", "-a", "1"], ["x", "-a", "20"]] as const
  ) {
    it(`signs with its passphrase ${passphrase} ${options.join(" ")}`, async () => {
      const home = makeHome(`encrypted ${passphrase}`, passphrase, ...options);
      await assertSigns(await openSigner({ ...home, passphrase })(), home);
      await assert.rejects(openSigner({ ...home, passphrase: "wrong" })(), {
        name: "KeyError",
        message: /is wrong/,
      });
    });
  }

  it("does not sign when it is of another cipher", async () => {
    const home = makeHome("cbc", "x", "-Z", "aes256-cbc");
    await assert.rejects(openSigner({ ...home, passphrase: "x" })(), {
      name: "KeyError",
      message: /not supported/,
    });
  });

  describe("in an ssh-agent", () => {
    let program: ChildProcess;
    before(async () => {
      // In the foreground: its end can be waited for, before the folder of its socket is removed. It speaks when it listens.
      program = spawn("ssh-agent", ["-D", "-a", socketPath], { stdio: ["ignore", "pipe", "inherit"] });
      await once(program.stdout!, "data");
    });
    after(async () => {
      program.kill();
      await once(program, "exit");
    });

    const agent = { SSH_AUTH_SOCK: socketPath };

    /** The agent takes no passphrases here: it gets an open copy of the key. */
    function addToAgent({ home }: { readonly home: string }): void {
      const copy = `${home}.key`;
      copyFileSync(join(home, "keys", "radicle"), copy);
      chmodSync(copy, 0o600);
      run("ssh-keygen", ["-q", "-p", "-P", "secret", "-N", "", "-f", copy]);
      run("ssh-add", ["-q", copy], agent);
    }

    it("signs while it is there", async () => {
      const home = makeHome("held", "secret", "-a", "1");
      const open = openSigner({ ...home, agentSocket: socketPath });
      await assert.rejects(open(), { name: "KeyError", message: /does not hold/ });
      addToAgent(home);
      const signer = await open();
      await assertSigns(signer, home);
      run("ssh-add", ["-q", "-D"], agent);
      await assert.rejects(signer.sign(MESSAGE), { name: "KeyError", message: /refused/ });
      await assert.rejects(open(), { name: "KeyError", message: /does not hold/ });
    });

    it("is found among keys of other types", async () => {
      const home = makeHome("among", "secret", "-a", "1");
      const other = join(folder, "ecdsa");
      run("ssh-keygen", ["-q", "-t", "ecdsa", "-N", "", "-f", other]);
      run("ssh-add", ["-q", other], agent);
      addToAgent(home);
      const lines: string[] = [];
      const load = loadSigner({
        ...home,
        agentSocket: socketPath,
        log: (_level, message) => void lines.push(message),
      });
      const signer = await load();
      assert.ok(signer);
      await assertSigns(signer, home);
      assert.deepEqual(lines, []);
    });
  });
});
