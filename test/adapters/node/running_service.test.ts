/** The saved address of a running service, and what may be the matter with its files. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createCacheFolder } from "../../../adapters/node/cache_folder.ts";
import { type Announcement, announceService, findService } from "../../../adapters/node/running_service.ts";
import { makeFolder, removeFolder } from "../../support/git.ts";

const [HOME, OTHER_HOME] = ["/homes/one", "/homes/two"];
const URL = "http://127.0.0.1:9090";
const isRoot = process.getuid?.() === 0;

describe("the address of a service", () => {
  let root: string;
  let folder: string;
  const announcements: Announcement[] = [];
  beforeEach(() => {
    root = makeFolder();
    folder = join(root, "cache");
  });
  afterEach(() => {
    for (const announcement of announcements.splice(0)) announcement.close();
    removeFolder(root);
  });

  async function announce(home = HOME, url = URL): Promise<Announcement | undefined> {
    const announcement = await announceService(folder, home, url);
    if (announcement !== undefined) announcements.push(announcement);
    return announcement;
  }

  /** The files of the home, by the ends of their names. */
  const file = (end: string) => join(folder, readdirSync(folder).find((name) => name.endsWith(end))!);

  it("is found by the home until the service ends", async () => {
    assert.equal(await findService(folder, HOME), undefined);
    const announcement = await announce();
    assert.equal(await findService(folder, HOME), URL);
    assert.equal(await findService(folder, OTHER_HOME), undefined);
    announcement!.close();
    assert.equal(await findService(folder, HOME), undefined);
    await announce(HOME, "http://[::1]:80");
    assert.equal(await findService(folder, HOME), "http://[::1]:80");
  });

  it("is in files that the user alone can read", async () => {
    mkdirSync(folder, { mode: 0o755 });
    await announce();
    const modes = [folder, file(".lock"), file(".xylem")].map((path) => statSync(path).mode & 0o777);
    assert.deepEqual(modes, [0o700, 0o600, 0o600]);
  });

  it("belongs to the first of two services on a home", async () => {
    const first = await announce();
    assert.equal(await announce(HOME, "http://127.0.0.1:9091"), undefined);
    assert.equal(await findService(folder, HOME), URL);
    first!.close();
    await announce(HOME, "http://127.0.0.1:9092");
    assert.equal(await findService(folder, HOME), "http://127.0.0.1:9092");
  });

  it("of services that have ended is removed, whatever their homes", async () => {
    for (let i = 0; i < 5; i++) (await announce(`/homes/${i}`))!.close();
    await announce();
    assert.equal(readdirSync(folder).length, 2);
  });

  const damages: Record<string, () => void> = {
    "a folder that others can write": () => chmodSync(folder, 0o722),
    "a folder that others can read": () => chmodSync(folder, 0o705),
    "a file that others can write": () => chmodSync(file(".xylem"), 0o622),
    "a lock that others can write": () => chmodSync(file(".lock"), 0o622),
    "a link to the folder": () => {
      renameSync(folder, `${folder}-2`);
      symlinkSync(`${folder}-2`, folder);
    },
    "a link to the file": () => {
      renameSync(file(".xylem"), join(root, "elsewhere"));
      symlinkSync(join(root, "elsewhere"), join(folder, "x"));
      renameSync(join(folder, "x"), file(".lock").replace(".lock", ".xylem"));
    },
    "no file": () => rmSync(file(".xylem")),
    "no lock": () => rmSync(file(".lock")),
    "another lock": () => {
      const path = file(".lock");
      rmSync(path);
      writeFileSync(path, "", { mode: 0o600 });
    },
    "another content": () => {
      const bytes = readFileSync(file(".xylem"));
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(file(".xylem"), bytes);
    },
    "a plain text": () => writeFileSync(file(".xylem"), URL),
    "a huge file": () => writeFileSync(file(".xylem"), Buffer.alloc(2 ** 22)),
    "a folder instead of the file": () => {
      const path = file(".xylem");
      rmSync(path);
      mkdirSync(path, { mode: 0o700 });
    },
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`is not used with ${what}, and saved again by the next service`, async () => {
      const first = await announce();
      damage();
      assert.equal(await findService(folder, HOME), undefined);
      first!.close();
      if (lstatSync(folder).isSymbolicLink()) rmSync(folder);
      await announce(HOME, "http://127.0.0.1:9091");
      assert.equal(await findService(folder, HOME), "http://127.0.0.1:9091");
    });
  }

  it("of another user is not used", { skip: isRoot ? false : "only root can give files away" }, async () => {
    await announce();
    for (const path of [file(".xylem"), file(".lock"), folder]) {
      chownSync(path, 65534, 65534);
      assert.equal(await findService(folder, HOME), undefined);
      chownSync(path, 0, 0);
      assert.equal(await findService(folder, HOME), URL);
    }
  });

  for (
    const url of [
      "",
      "https://127.0.0.1:80",
      "http://127.0.0.1",
      "http://a:b@127.0.0.1:80",
      "http://127.0.0.1:80/",
      "http://127.0.0.1:80@example.org:80",
      "http://127.0.0.1:80\n",
      "http://127.0.0.1:80?x",
      `http://${"a".repeat(254)}:80`,
    ]
  ) {
    it(`is not used when it is ${JSON.stringify(url)}`, async () => {
      await announce();
      const name = file(".xylem").replace(/^.*\/|\.xylem$/g, "");
      await createCacheFolder(folder).write(name, new TextEncoder().encode(url));
      assert.equal(await findService(folder, HOME), undefined);
    });
  }

  it("cannot be saved where no folder can be made", async () => {
    writeFileSync(folder, "");
    await assert.rejects(announce());
    assert.equal(await findService(folder, HOME), undefined);
  });
});
