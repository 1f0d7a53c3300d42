/** What a home tells of its node, read through a file system of a few texts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FileKind, FileSystem } from "../../src/ports/file_system.ts";
import { loadHomeProfile } from "../../src/profile/home_profile.ts";
import { ProfileError } from "../../src/profile/config.ts";

const HOME = "/home/alice/.radicle";
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHahWSBEpuT1ESZbynOmBNkLBSnR32Ar4woZqSV2YNH1 radicle\n";
const NID = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";
const A = "rad:z37h2Y1mLMVCQJ3x45duqSV7kXD2p";
const B = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";

const config = (...repositories: string[]) =>
  JSON.stringify({ web: { pinned: { repositories } }, node: { alias: "alice" } });

/** Files that a test may change, with the number of reads and of looks so far. */
function filesOf(texts: Record<string, string | Uint8Array>, kind: FileKind = "file") {
  const files = new Map<string, { bytes: Uint8Array<ArrayBuffer>; inode: number }>();
  const write = (name: string, content: string | Uint8Array) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(content);
    files.set(`${HOME}/${name}`, { bytes, inode: inodes++ });
  };
  const overwrite = (name: string, content: string) => {
    files.get(`${HOME}/${name}`)!.bytes.set(new TextEncoder().encode(content));
  };
  let inodes = 1;
  const stamp = { modifiedMs: 0 };
  const counts = { opened: 0, stat: 0 };
  const fileSystem: FileSystem = {
    read: (path) => files.get(path)?.bytes,
    list: () => undefined,
    readLink: () => undefined,
    stat(path) {
      counts.stat++;
      const file = files.get(path);
      return file && { kind, size: file.bytes.length, ...stamp, inode: file.inode, links: 1 };
    },
    open(path) {
      counts.opened++;
      const bytes = files.get(path)?.bytes;
      return bytes && {
        size: bytes.length,
        read(into, position) {
          into.set(bytes.subarray(position, position + into.length));
          return Math.min(into.length, bytes.length - position);
        },
        close() {},
      };
    },
  };
  for (const [name, content] of Object.entries(texts)) write(name, content);
  return {
    fileSystem,
    write,
    remove: (name: string) => files.delete(`${HOME}/${name}`),
    overwrite,
    counts,
    stamp,
  };
}

const load = (texts: Record<string, string | Uint8Array>, user?: string) =>
  loadHomeProfile({ home: HOME, fileSystem: filesOf(texts).fileSystem, user: () => user });

describe("loadHomeProfile", () => {
  it("returns node id, alias and pinned repositories", () => {
    const profile = load({ "keys/radicle.pub": KEY, "keys/radicle": "secret", "config.json": config(A) });
    assert.equal(profile.nodeId, NID);
    assert.equal(profile.alias, "alice");
    assert.equal(profile.hasSecretKey, true);
    assert.deepEqual(profile.pinned(), [A]);
  });

  it("knows a home without a secret key", () => {
    assert.equal(load({ "keys/radicle.pub": KEY, "config.json": config() }).hasSecretKey, false);
  });

  it("takes the user's name as alias when config.json is missing", () => {
    const profile = load({ "keys/radicle.pub": KEY }, "someone");
    assert.equal(profile.alias, "someone");
    assert.deepEqual(profile.pinned(), []);
  });

  it("does not ask for the user's name when there is a config.json", () => {
    const { fileSystem } = filesOf({ "keys/radicle.pub": KEY, "config.json": config() });
    const user = () => assert.fail("asked");
    assert.equal(loadHomeProfile({ home: HOME, fileSystem, user }).alias, "alice");
  });

  for (const user of [undefined, "", "bad user"]) {
    it(`refuses a home without config.json for the user ${JSON.stringify(user)}`, () => {
      assert.throws(() => load({ "keys/radicle.pub": KEY }, user), ProfileError);
    });
  }

  it("refuses a home without a public key, naming the home", () => {
    assert.throws(() => load({ "config.json": config() }), {
      name: "ProfileError",
      message: `No Radicle home in ${HOME}: keys/radicle.pub is missing`,
    });
  });

  it("refuses files that are not UTF-8", () => {
    assert.throws(
      () => load({ "keys/radicle.pub": KEY, "config.json": Uint8Array.of(0x7b, 0xff) }),
      ProfileError,
    );
    assert.throws(() => load({ "keys/radicle.pub": Uint8Array.of(0xff) }), ProfileError);
  });

  it("reads a large config.json and refuses a huge one", () => {
    const full = config(A).padEnd(500_000);
    assert.deepEqual(load({ "keys/radicle.pub": KEY, "config.json": full }).pinned(), [A]);
    assert.throws(() => load({ "keys/radicle.pub": KEY, "config.json": full.padEnd(2 ** 24) }), ProfileError);
  });
});

describe("pinned repositories of a running service", () => {
  it("follow config.json", () => {
    const files = filesOf({ "keys/radicle.pub": KEY, "config.json": config(A) });
    const profile = loadHomeProfile({ home: HOME, fileSystem: files.fileSystem });
    files.write("config.json", config(B, A));
    assert.deepEqual(profile.pinned(), [B, A]);
    files.remove("config.json");
    assert.deepEqual(profile.pinned(), []);
    files.write("config.json", config(B));
    assert.deepEqual(profile.pinned(), [B]);
  });

  it("come from a configuration that follows the file, too, with its missing parts filled in", () => {
    const files = filesOf({ "keys/radicle.pub": KEY, "config.json": config(A) });
    const profile = loadHomeProfile({ home: HOME, fileSystem: files.fileSystem });
    assert.equal(profile.home, HOME);
    assert.equal(profile.config().node["network"], "main");
    files.write("config.json", JSON.stringify({ node: { alias: "alice", network: "test" } }));
    assert.equal(profile.config().node["network"], "test");
    files.remove("config.json");
    assert.deepEqual([profile.config().node.alias, profile.config().node["network"]], ["alice", "main"]);
  });

  it("come with the alias of the file as it is now", () => {
    const files = filesOf({ "keys/radicle.pub": KEY, "config.json": config(A) });
    const profile = loadHomeProfile({ home: HOME, fileSystem: files.fileSystem });
    files.write("config.json", config(A).replace("alice", "bob"));
    assert.equal(profile.alias, "bob");
  });

  it("follow a change that leaves time stamp, size and inode as they were, for as long as there may be one", () => {
    const files = filesOf({ "keys/radicle.pub": KEY, "config.json": config(A) });
    files.stamp.modifiedMs = 1_000_000;
    let nowMs = files.stamp.modifiedMs;
    const profile = loadHomeProfile({ home: HOME, fileSystem: files.fileSystem, now: () => nowMs });
    files.overwrite("config.json", config(A).replace("alice", "bobby"));
    assert.equal(profile.alias, "bobby");
    nowMs += 60_000;
    assert.equal(profile.alias, "bobby");
    const { opened } = files.counts;
    assert.equal(profile.alias, "bobby");
    assert.equal(files.counts.opened, opened);
  });

  it("cost one stat while config.json stays as it is", () => {
    const files = filesOf({ "keys/radicle.pub": KEY, "config.json": config(A) });
    const profile = loadHomeProfile({ home: HOME, fileSystem: files.fileSystem });
    const { opened, stat } = files.counts;
    profile.pinned();
    assert.deepEqual(files.counts, { opened, stat: stat + 1 });
  });

  it("follow the file behind a symbolic link", () => {
    const files = filesOf({ "keys/radicle.pub": KEY, "config.json": config(A) }, "link");
    const profile = loadHomeProfile({ home: HOME, fileSystem: files.fileSystem });
    const { opened } = files.counts;
    profile.pinned();
    assert.equal(files.counts.opened, opened + 1);
  });

  it("stay when config.json becomes unreadable, with one line in the log", () => {
    const lines: string[] = [];
    const files = filesOf({ "keys/radicle.pub": KEY, "config.json": config(A) });
    const log = (level: string, message: string) => void lines.push(`${level} ${message}`);
    const profile = loadHomeProfile({ home: HOME, fileSystem: files.fileSystem, log });
    files.write("config.json", "{");
    assert.deepEqual(profile.pinned(), [A]);
    assert.deepEqual(profile.pinned(), [A]);
    assert.deepEqual(lines, [
      "warn Cannot read the changed config.json: its last valid content stays in use",
    ]);
  });
});
