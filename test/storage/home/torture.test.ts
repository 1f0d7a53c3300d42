/** Reading a repository for some seconds while git collects garbage, repacks, and moves references in it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fileSystem } from "../../support/files.ts";
import { inflate } from "../../../adapters/node/zlib.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { createHomeStorage, type HomeStorage } from "../../../src/storage/home/storage.ts";
import { GIT_ENVIRONMENT, GitRepository, makeFolder, removeFolder } from "../../support/git.ts";
import { RID } from "../suite.ts";
import { atOnce } from "./at_once.ts";

const ROUNDS = 12;
const OBJECTS_PER_LOOK = 100;
const ABSENT = "0123456789012345678901234567890123456789" as Oid;

/** Each round makes a commit, a branch and a tag, changes everything about how objects and references are stored, and deletes the branch. */
const SCRIPT = `
  set -e
  round=0
  while [ $round -lt ${ROUNDS} ]; do
    round=$((round + 1))
    commit=$(git commit-tree -p main -m "Round $round" "main^{tree}")
    git update-ref refs/heads/moving $commit
    git update-ref refs/heads/new/$round $commit
    git update-ref refs/heads/stable/1 $commit
    git update-ref refs/heads/stable/1 main
    case $((round % 6)) in
      0) git gc -q --prune=now ;;
      1) git pack-refs --all --prune; git repack -q -a -d -F --window=$((round + 2)) ;;
      2) git repack -q -d; git pack-refs --all --prune ;;
      3) git repack -q -A -d --unpack-unreachable=now ;;
      4) git pack-refs --all --prune; git prune --expire=now ;;
      5) git init --quiet --bare "$GIT_DIR/aside"
         for pack in "$GIT_DIR"/objects/pack/*.pack; do git --git-dir "$GIT_DIR/aside" unpack-objects -q < "$pack"; done
         cp -R -n "$GIT_DIR"/aside/objects/?? "$GIT_DIR/objects/"
         rm -rf "$GIT_DIR"/objects/pack/* "$GIT_DIR/aside" ;;
    esac
    git update-ref -d refs/heads/new/$round
    git tag -f v$((round % 3)) main > /dev/null
  done`;

it(
  "whatever git does, no object and no reference that is always there is ever absent",
  async () => {
    const root = makeFolder();
    const git = GitRepository.create(join(root, RID.slice("rad:".length)));
    git.importHistory(150);
    for (let i = 0; i < 30; i++) git.setRef(`refs/heads/stable/${i}`, git.text(["rev-parse", "main"]) as Oid);
    const stable = git.refs();
    const objects = git.objects();
    git.setRef("refs/heads/moving", stable[0]!.oid!);

    const env = { ...GIT_ENVIRONMENT, GIT_DIR: git.path };
    const writer = spawn("sh", ["-c", SCRIPT], { env, stdio: ["ignore", "ignore", "inherit"] });
    const ended = once(writer, "exit");
    let isRunning = true;
    ended.then(() => isRunning = false);
    const kept = createHomeStorage({ root, fileSystem, inflate });
    let looks = 0;

    async function look(storage: HomeStorage): Promise<void> {
      const found = storage.repository(RID);
      assert.ok(found !== undefined);
      const repository = atOnce(found);
      const names = new Set(repository.refs("refs/").map((ref) => ref.name));
      for (const { name } of [...stable, { name: "refs/heads/moving" }]) {
        assert.ok(names.has(name), `${name} is in the list`);
        assert.ok(repository.ref(name) !== undefined, `${name} is there`);
      }
      for (let i = 0; i < OBJECTS_PER_LOOK; i++) {
        const { oid, kind, bytes } = objects[(looks * OBJECTS_PER_LOOK + i * 7919) % objects.length]!;
        assert.equal((await repository.object(oid))?.bytes.length, bytes.length, oid);
        assert.deepEqual(repository.header(oid), { kind, size: bytes.length });
      }
      assert.equal(await repository.object(ABSENT), undefined);
    }

    try {
      while (isRunning) {
        const storage = looks % 3 === 0 ? createHomeStorage({ root, fileSystem, inflate }) : kept;
        await look(storage);
        if (storage !== kept) storage.close();
        looks++;
        await setImmediate();
      }
      assert.deepEqual(await ended, [0, null]);
      await look(kept);
      assert.ok(looks > ROUNDS, `${looks} looks`);
    } finally {
      writer.kill();
      await ended;
      kept.close();
      removeFolder(root);
    }
  },
);
