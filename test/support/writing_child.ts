/**
 * A process that writes to a home until it is killed: `<root> <name> <count>`. Each change is a commit on top
 * of `refs/heads/main`, and a reference of its own to it. It prints the commit's id when both are durable.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { encodeCommit, encodeTree, ObjectBatch } from "../../src/git/encode.ts";
import { MODE } from "../../src/git/tree.ts";
import { isWritable } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { fileSystem } from "./files.ts";
import { MAIN, ownRef } from "./writing_children.ts";
import { RID } from "./written_home.ts";

const [root = "", name = "", count = "0"] = process.argv.slice(2);
const repository = createHomeStorage({ root, fileSystem }).repository(RID);
if (repository === undefined || !isWritable(repository)) throw new Error(`${root} cannot be written to`);

for (let done = 0, attempt = 0; done < Number(count); attempt++) {
  const from = (await repository.ref(MAIN))?.oid;
  const batch = new ObjectBatch();
  const encoder = new TextEncoder();
  const blob = batch.add("blob", encoder.encode(`${name} ${attempt}`));
  const tree = batch.add("tree", encodeTree([{ mode: MODE.blob, name: encoder.encode("file"), oid: blob }]));
  const commit = batch.add(
    "commit",
    encodeCommit({
      tree,
      parents: from === undefined ? [] : [from],
      author: { name, email: `${name}@example.org` },
      timeSeconds: 1_700_000_000,
      message: `${name} ${attempt}`,
    }),
  );
  await repository.writeObjects(batch.objects);
  if (!await repository.updateRef(MAIN, { from, to: commit })) continue;
  await repository.updateRef(ownRef(name, commit), { from: undefined, to: commit });
  writeSync(1, `${commit}\n`);
  done++;
}
