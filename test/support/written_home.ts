/** A home on the disk with one empty repository, written by us and by the real git. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { WritableRepository } from "../../src/ports/storage.ts";
import { isWritable } from "../../src/ports/storage.ts";
import {
  createHomeStorage,
  type HomeStorage,
  type HomeStorageOptions,
} from "../../src/storage/home/storage.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { fileSystem } from "./files.ts";
import { GitRepository, makeFolder, removeFolder } from "./git.ts";

/** The repository's id. */
export const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";

/** The home, and calls on it. */
export class WrittenHome {
  readonly root: string = makeFolder();
  readonly git: GitRepository = GitRepository.create(join(this.root, RID.slice("rad:".length)));
  readonly #storages: HomeStorage[] = [];

  /** Path of the repository. */
  get path(): string {
    return this.git.path;
  }

  /** Opens the repository with a new storage and other options. */
  open(options: Partial<HomeStorageOptions> = {}): WritableRepository {
    const repository = this.storage(options).repository(RID)!;
    assert.ok(isWritable(repository));
    return repository;
  }

  /** Creates a storage of the home. */
  storage(options: Partial<HomeStorageOptions> = {}): HomeStorage {
    const storage = createHomeStorage({ root: this.root, fileSystem, ...options });
    this.#storages.push(storage);
    return storage;
  }

  /** Files left over after writing: temporary files and locks. */
  leftovers(): string[] {
    const names = readdirSync(this.path, { recursive: true, encoding: "utf8" });
    return names.filter((name) => /(^|[/\\])tmp_|\.lock$/.test(name)).sort();
  }

  /** Checks that `git fsck` reports no errors. */
  check(): void {
    this.git.run(["fsck", "--full", "--strict", "--no-dangling"]);
  }

  remove(): void {
    for (const storage of this.#storages) storage.close();
    removeFolder(this.root);
  }
}
