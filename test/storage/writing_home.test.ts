/** Writing to repositories of a home, with the real git as the judge of what was written. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { deflate } from "../../adapters/node/deflate.ts";
import { inflate } from "../../adapters/node/inflate.ts";
import { isWritable } from "../../src/ports/storage.ts";
import { createHomeStorage, type HomeStorageOptions } from "../../src/storage/home/storage.ts";
import { GitRepository, makeFolder, removeFolder } from "../support/git.ts";
import { RID } from "./suite.ts";
import { type MadeRepository, testWriting } from "./writing_suite.ts";

/** An empty repository of a home; when it is finished, git must find no fault with it. */
function homeRepository(options: Partial<HomeStorageOptions>): MadeRepository {
  const root = makeFolder();
  const git = GitRepository.create(join(root, RID.slice("rad:".length)));
  const storage = createHomeStorage({ root, fileSystem, ...options });
  const repository = storage.repository(RID)!;
  assert.ok(isWritable(repository));
  return {
    repository,
    setSymbolicRef: (name, target) => git.setSymbolicRef(name, target),
    finish() {
      storage.close();
      git.run(["fsck", "--full", "--strict", "--no-dangling"]);
      removeFolder(root);
    },
  };
}

testWriting("a repository of a home, packed by the runtime", () => homeRepository({ inflate, deflate }));
testWriting("a repository of a home, packed in TypeScript", () => homeRepository({}));
