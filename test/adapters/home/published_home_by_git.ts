/** A home on the disk that is published with the real git, and clones of what is published. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { promisify } from "node:util";
import { openHomePublisher, type PublishOptions } from "../../../adapters/home/publish_home.ts";
import type { HomeParts } from "../../../adapters/home/parts.ts";
import { createFolderBucket } from "../../../extensions/replicas/bucket/folder.ts";
import type { RoundSummary } from "../../../extensions/replicas/publisher/publisher.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { fileSystem } from "../../support/files.ts";
import { GIT_ENVIRONMENT, GitRepository } from "../../support/git.ts";
import { removeFolder, temporaryFolder } from "../../support/programs.ts";
import { createTestClock } from "../../extensions/replicas/publisher/test_publisher.ts";

/** The parts of a home on the runtime that runs the test. */
export const homeParts: HomeParts = "Deno" in globalThis
  ? (await import("../../../adapters/deno/parts.ts")).homeParts
  : (await import("../../../adapters/node/parts.ts")).homeParts;

const run = promisify(execFile);

/** A folder with a bucket, and publishers of homes into it. */
export class GitBucket {
  readonly folder: string;
  /** Path of the bucket. */
  readonly path: string;
  readonly cachePath: string;
  readonly log: string[] = [];
  readonly bucket: ReturnType<typeof createFolderBucket>;
  #clones = 0;
  #server: { readonly url: string; readonly close: () => Promise<void> } | undefined;

  constructor(name: string) {
    this.folder = temporaryFolder(name);
    this.path = join(this.folder, "bucket");
    this.cachePath = join(this.folder, "cache");
    this.bucket = createFolderBucket(this.path, { fileSystem });
  }

  /** Publishes a home once. */
  async publish(
    home: string,
    options: Partial<PublishOptions> = {},
    parts = homeParts,
  ): Promise<RoundSummary> {
    const opened = await openHomePublisher({
      home,
      bucket: this.bucket,
      cachePath: this.cachePath,
      environment: { log: (_, message) => void this.log.push(message) },
      clock: createTestClock(),
      ...options,
    }, parts);
    try {
      return await opened.publisher.publishAll();
    } finally {
      await opened.close();
    }
  }

  /** Clones a repository from the bucket by the dumb HTTP protocol. Everything of the clone is verified. */
  async clone(rid: RepoId, ...options: readonly string[]): Promise<GitRepository> {
    this.#server ??= await serveFolder(this.path);
    const path = join(this.folder, `clone-${this.#clones++}`);
    const url = `${this.#server.url}/${rid.slice("rad:".length)}`;
    const env = { ...GIT_ENVIRONMENT, GIT_TERMINAL_PROMPT: "0" };
    await run("git", ["-c", "protocol.version=0", "clone", "--quiet", "--mirror", ...options, url, path], {
      env,
    });
    const clone = new GitRepository(path);
    clone.run(["fsck", "--full", "--strict", "--no-dangling"]);
    return clone;
  }

  /** Checks that a clone has exactly the references and objects that the home shows. */
  async checkClone(rid: RepoId, home: GitRepository, isHidden: (name: string) => boolean): Promise<void> {
    const clone = await this.clone(rid);
    const shown = home.refs().filter(({ name }) => !isHidden(name));
    const resolved = (repository: GitRepository, names: readonly string[]) =>
      names.map((name) => `${name} ${repository.text(["rev-parse", name])}`).sort();
    assert.deepEqual(
      resolved(clone, clone.refs().map(({ name }) => name)),
      resolved(home, shown.map(({ name }) => name)),
    );
    const tips = shown.map(({ name }) => home.text(["rev-parse", name]));
    assert.deepEqual(reachable(clone, tips), reachable(home, tips));
  }

  async remove(): Promise<void> {
    await this.#server?.close();
    removeFolder(this.folder);
  }
}

/** All objects to which tips lead. */
function reachable(repository: GitRepository, tips: readonly string[]): readonly Oid[] {
  const output = repository.text(["rev-list", "--objects", "--no-object-names", "--stdin"], tips.join("\n"));
  return output.split("\n").sort() as Oid[];
}

/** Names, sizes and times of all files below a folder. */
export function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort().map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
}

/** A server of plain files, without lists of folders. */
async function serveFolder(
  root: string,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer(({ url = "/" }, response) => {
    const path = join(root, normalize(decodeURIComponent(new URL(url, "http://localhost").pathname)));
    if (!existsSync(path) || !statSync(path).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-length": statSync(path).size });
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
