/** Writing to repositories of a home, with the real git as the judge of what was written. */
import { deflate } from "../../adapters/node/zlib.ts";
import { inflate } from "../../adapters/node/zlib.ts";
import type { HomeStorageOptions } from "../../src/storage/home/storage.ts";
import { WrittenHome } from "../support/written_home.ts";
import { type MadeRepository, testWriting } from "./writing_suite.ts";

/** An empty repository of a home; when it is finished, git must find no fault with it. */
function homeRepository(options: Partial<HomeStorageOptions>): MadeRepository {
  const home = new WrittenHome();
  return {
    repository: home.open(options),
    setSymbolicRef: (name, target) => home.git.setSymbolicRef(name, target),
    finish() {
      home.check();
      home.remove();
    },
  };
}

testWriting("a repository of a home, packed by the runtime", () => homeRepository({ inflate, deflate }));
testWriting("a repository of a home, packed in TypeScript", () => homeRepository({}));
