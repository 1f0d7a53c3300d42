/** Writing to the storage in memory. */
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { RID } from "./suite.ts";
import { testWriting } from "./writing_suite.ts";

testWriting("a repository in memory", () => {
  const repository = createMemoryStorage().create(RID);
  return { repository, setSymbolicRef: (name, target) => repository.setSymbolicRef(name, target) };
});
