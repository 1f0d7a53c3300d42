/** Reading a repository while git changes it: what is always there is always found. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { zlibSync } from "fflate";
import type { Oid } from "../../../src/ids/oid.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { RID } from "../suite.ts";
import { FakeFiles } from "./fake_files.ts";
import { blobId, buildPack } from "./pack_builder.ts";
import { atOnce } from "./at_once.ts";

/** No look takes more file calls than this. */
const LONGEST_LOOK = 12;

const PATH = `/home/storage/${RID.slice("rad:".length)}`;
const encode = (text: string) => new TextEncoder().encode(text);

const OID = blobId("wanted");
const [ONE, TWO] = ["1", "2"].map((digit) => digit.repeat(40)) as [Oid, Oid];
const REF = "refs/heads/deep/er/main";

/** Packs that hold the wanted object each at another place, and with other company. */
const PACKS = ["", "a", "bc"].map((company) =>
  buildPack([
    { oid: blobId(company), kind: "blob", data: encode(company) },
    { oid: OID, kind: "blob", data: encode("wanted") },
  ])
);

/** Single steps, each of which happens at once. */
const put = (name: string, content: string | Uint8Array) => (files: FakeFiles) =>
  files.put(`${PATH}/${name}`, content);
const remove = (name: string) => (files: FakeFiles) => files.remove(`${PATH}/${name}`);
const LOOSE = `objects/${OID.slice(0, 2)}/${OID.slice(2)}`;
const putLoose = put(LOOSE, zlibSync(encode("blob 6\0wanted")));
const putPack = (i: number, name = i) => [
  put(`objects/pack/pack-${name}.pack`, PACKS[i]!.pack),
  put(`objects/pack/pack-${name}.idx`, PACKS[i]!.index),
];
const removePack = (
  name: number,
) => [remove(`objects/pack/pack-${name}.idx`), remove(`objects/pack/pack-${name}.pack`)];
const putRef = (oid: string) => put(REF, `${oid}\n`);
const putPacked = (oid: string) =>
  put("packed-refs", `# pack-refs with: peeled fully-peeled sorted \n${oid} ${REF}\n`);

/** What git does, step by step, in its order: the new is there before the old goes. */
type Steps = readonly ((files: FakeFiles) => void)[];
const CHANGES: Record<string, { readonly before: Steps; readonly steps: Steps }> = {
  "git packs loose objects": {
    before: [putLoose, putRef(ONE)],
    steps: [...putPack(0), remove(LOOSE)],
  },
  "git unpacks a pack": {
    before: [...putPack(0), putRef(ONE)],
    steps: [putLoose, ...removePack(0)],
  },
  "git replaces a pack": {
    before: [...putPack(0), putRef(ONE)],
    steps: [...putPack(1), ...removePack(0)],
  },
  "git replaces a pack and the new one": {
    before: [...putPack(0), putRef(ONE)],
    steps: [...putPack(1), ...removePack(0), ...putPack(2), ...removePack(1)],
  },
  "git replaces a pack and then unpacks the new one": {
    before: [...putPack(0), putRef(ONE)],
    steps: [...putPack(1), ...removePack(0), putLoose, ...removePack(1)],
  },
  "git brings back a pack of the same name": {
    before: [...putPack(0), putRef(ONE)],
    steps: [putLoose, ...removePack(0), ...putPack(1, 0), remove(LOOSE)],
  },
  "objects move to an alternate": {
    before: [putLoose, putRef(ONE)],
    steps: [
      (files) =>
        files.put(`/lender/objects/${LOOSE.slice("objects/".length)}`, zlibSync(encode("blob 6\0wanted"))),
      put("objects/info/alternates", "/lender/objects\n"),
      remove(LOOSE),
    ],
  },
  "git packs references": {
    before: [...putPack(0), putRef(ONE)],
    steps: [putPacked(ONE), remove(REF)],
  },
  "git changes a packed reference and packs it again": {
    before: [...putPack(0), putPacked(ONE)],
    steps: [putRef(TWO), putPacked(TWO), remove(REF), putRef(ONE), putPacked(ONE), remove(REF)],
  },
};

/** The clock of the files and that of the storage: stamps that all differ and are settled, or that are all the same. */
const CLOCKS = {
  "old stamps": { tickMs: 1, now: (files: FakeFiles) => files.nowMs + 60_000 },
  "one stamp for all": { tickMs: 0, now: (files: FakeFiles) => files.nowMs },
};

for (const [change, { before, steps }] of Object.entries(CHANGES)) {
  for (const [stamps, { tickMs, now }] of Object.entries(CLOCKS)) {
    for (const isWarm of [false, true]) {
      /** Reads once, with the first steps before one file call and the others before the same or a later one. Tells the number of calls. */
      const readWith = (split: number, first: number, second: number): number => {
        const files = new FakeFiles();
        files.tickMs = tickMs;
        for (
          const step of [
            put("HEAD", "ref: refs/heads/main\n"),
            put("objects/info/packs", ""),
            put("refs/tags/v1", ONE),
            ...before,
          ]
        ) {
          step(files);
        }
        const storage = createHomeStorage({
          root: "/home/storage",
          fileSystem: files,
          now: () => now(files),
        });
        const read = () => {
          const found = storage.repository(RID);
          const repository = found && atOnce(found);
          const object = repository?.object(OID);
          assert.ok(!(object instanceof Promise), "is read at once");
          const refs = repository?.refs("refs/heads/").map((ref) => ref.name);
          return [
            repository?.header(OID)?.size,
            object?.kind,
            repository?.ref(REF)?.name,
            refs,
          ];
        };
        if (isWarm) read();
        let calls = 0;
        files.beforeCall = () => {
          const call = calls++;
          if (call === first) { for (const step of steps.slice(0, split)) step(files); }
          if (call === second) { for (const step of steps.slice(split)) step(files); }
        };
        assert.deepEqual(read(), [6, "blob", REF, [REF]], `steps ${split} at ${first} and ${second}`);
        return calls;
      };

      it(`nothing is missed while ${change} (${stamps}, ${isWarm ? "again" : "at first"})`, async () => {
        const calls = readWith(0, Infinity, Infinity);
        for (let split = 0; split < steps.length; split++) {
          // Where no steps come first, it makes no difference when they do.
          const firsts = split === 0 ? 1 : calls;
          const look = split === 0 ? calls + LONGEST_LOOK : LONGEST_LOOK;
          for (let first = 0; first < firsts; first++) {
            for (let second = first; second <= first + look; second++) {
              // Nor does it when the others come after the last call.
              if (readWith(split, first, second) <= second) break;
            }
            // In one tick so much is read at the most.
            await setImmediate();
          }
        }
      });
    }
  }
}
