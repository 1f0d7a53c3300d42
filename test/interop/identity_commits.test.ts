/**
 * Entries name the commit that holds the identity document their author saw. What `rad` of each generation makes of entries that name an odd one
 * we make of them, too.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { GitRepository } from "../support/git.ts";
import { GENERATIONS, openRadHome, removeFolder, temporaryFolder } from "../support/programs.ts";
import { buildObject, fillDocument, keys, putFiles } from "./fuzz/build.ts";
import { createDesk } from "./fuzz/desk.ts";
import { DOCUMENTS } from "./fuzz/documents.ts";
import { firstDifference, statesByRad, statesByUs } from "./fuzz/outcomes.ts";
import { ObjectPack, type ObjectSink, putText } from "./fuzz/pack.ts";

const folder = temporaryFolder("identity-commits");
after(() => removeFolder(folder));

const PERSON = "someone <someone@example.org> 1700000000 +0000";
const PEOPLE = `author ${PERSON}\ncommitter ${PERSON}\n`;
const DOC = fillDocument(DOCUMENTS["one"]!, { keys });
const MISSING = "f".repeat(40);
const encoder = new TextEncoder();

/** A tree with entries in that order: mode, name and object. */
function putEntries(sink: ObjectSink, ...entries: readonly (readonly [string, string, Oid])[]): Oid {
  const parts = entries.flatMap(([mode, name, oid]) => [
    ...encoder.encode(`${mode} ${name}\0`),
    ...oid.match(/../g)!.map((byte) => parseInt(byte, 16)),
  ]);
  return sink.put("tree", Uint8Array.from(parts));
}

/** A tree that leads to a document, in the modes given. */
function putPath(sink: ObjectSink, folderMode = "40000", fileMode = "100644", text: string = DOC): Oid {
  return putEntries(sink, [
    folderMode,
    "embeds",
    putEntries(sink, [fileMode, "radicle.json", putText(sink, text)]),
  ]);
}

const commit =
  (header: (tree: Oid) => string, tree: (sink: ObjectSink) => Oid = putPath) => (sink: ObjectSink) =>
    sink.put("commit", encoder.encode(header(tree(sink))));
const holding = (tree: (sink: ObjectSink) => Oid) => commit((tree) => `tree ${tree}\n${PEOPLE}\nx\n`, tree);

/** What entries name, by what is odd about it. */
const NAMED: Readonly<Record<string, (sink: ObjectSink) => Oid>> = {
  "nothing odd": holding(putPath),
  "no author": commit((tree) => `tree ${tree}\ncommitter ${PERSON}\n\nx\n`),
  "an author without address": commit((tree) => `tree ${tree}\nauthor someone\ncommitter ${PERSON}\n\nx\n`),
  "people without time": commit((tree) => `tree ${tree}\nauthor a <b>\ncommitter a <b>\n\nx\n`),
  "a time that is none": commit((tree) => `tree ${tree}\nauthor a <b> x\ncommitter ${PERSON}\n\nx\n`),
  "no message": commit((tree) => `tree ${tree}\n${PEOPLE}`),
  "no line feed at its end": commit((tree) => `tree ${tree}\n${PEOPLE.trimEnd()}`),
  "a missing parent": commit((tree) => `tree ${tree}\nparent ${MISSING}\n${PEOPLE}\nx\n`),
  "a parent after the author": commit((tree) =>
    `tree ${tree}\nauthor ${PERSON}\nparent ${MISSING}\ncommitter ${PERSON}\n\nx\n`
  ),
  "a line before the tree": commit((tree) => `x y\ntree ${tree}\n${PEOPLE}\nx\n`),
  "the committer first": commit((tree) => `tree ${tree}\ncommitter ${PERSON}\nauthor ${PERSON}\n\nx\n`),
  "a tree in capitals": commit((tree) => `tree ${tree.toUpperCase()}\n${PEOPLE}\nx\n`),
  "two authors": commit((tree) => `tree ${tree}\nauthor ${PERSON}\n${PEOPLE}\nx\n`),
  "a tree out of order, found": holding((sink) => {
    const embeds = putEntries(sink, ["100644", "radicle.json", putText(sink, DOC)]);
    const blob = putText(sink, "x");
    return putEntries(
      sink,
      ["100644", "z", blob],
      ["100644", "y", blob],
      ["40000", "embeds", embeds],
      ["100644", "a", blob],
      ["100644", "b", blob],
    );
  }),
  "a tree out of order, not found": holding((sink) => {
    const embeds = putEntries(sink, ["100644", "radicle.json", putText(sink, DOC)]);
    const blob = putText(sink, "x");
    const others = ["c", "a", "b"].map((name) => ["100644", name, blob] as const);
    return putEntries(sink, ["40000", "embeds", embeds], ...others);
  }),
  "a document twice": holding((sink) => {
    const [bad, good] = [putText(sink, "{"), putText(sink, DOC)];
    const embeds = putEntries(sink, ["100644", "radicle.json", bad], ["100644", "radicle.json", good]);
    return putEntries(sink, ["40000", "embeds", embeds]);
  }),
  "a mode that is too large": holding((sink) => {
    const blob = putText(sink, DOC);
    const embeds = putEntries(sink, ["200000", "b", blob], ["100644", "radicle.json", blob]);
    return putEntries(sink, ["40000", "embeds", embeds]);
  }),
  "a tree for the document": holding((sink) =>
    putEntries(sink, ["40000", "embeds", putEntries(sink, ["100644", "radicle.json", putPath(sink)])])
  ),
  "a document that is missing": holding((sink) =>
    putEntries(sink, ["40000", "embeds", putEntries(sink, ["100644", "radicle.json", MISSING as Oid])])
  ),
  "a tree that is missing": commit(() => `tree ${MISSING}\n${PEOPLE}\nx\n`),
  "a folder as a file": holding((sink) => putPath(sink, "100644")),
  "a folder of another mode": holding((sink) => putPath(sink, "40755")),
  "a file as a folder": holding((sink) => putPath(sink, "40000", "40000")),
  "a file as a link": holding((sink) => putPath(sink, "40000", "120000")),
  "a file as a commit": holding((sink) => putPath(sink, "40000", "160000")),
  "a program": holding((sink) => putPath(sink, "40000", "100755")),
  "a byte order mark": holding((sink) => putPath(sink, "40000", "100644", `\ufeff${DOC}`)),
  "white space around it": holding((sink) => putPath(sink, "40000", "100644", ` \n${DOC}\n`)),
  "more behind it": holding((sink) => putPath(sink, "40000", "100644", `${DOC}x`)),
  "a tag": (sink) => {
    const target = holding(putPath)(sink);
    return sink.put("tag", encoder.encode(`object ${target}\ntype commit\ntag x\ntagger ${PERSON}\n\nx\n`));
  },
  "a tree": putPath,
};

for (const generation of GENERATIONS) {
  it(`entries that name an odd identity commit count as for rad ${generation}`, async () => {
    const desk = createDesk(generation, join(folder, generation));
    const sink = new ObjectPack();
    const documents = new Map(Object.entries(NAMED).map(([name, put]) => [name, put(sink)]));
    const around = {
      keys,
      commits: desk.commits as readonly string[] as readonly Oid[],
      documents,
      blob: putText(sink, "A file\n"),
      tree: putFiles(sink, new Map(), { tree: MISSING as Oid }),
      identities: [],
    };
    const base = { seconds: 1_700_000_000, document: "nothing odd" };
    const first = ['{"type":"comment","body":"first"}', '{"type":"edit","title":"t"}'];
    const second = ['{"type":"comment","body":"second","replyTo":"@e0"}'];
    const objects = Object.keys(NAMED).map((document, nonce) =>
      buildObject(sink, around, {
        kind: "issue",
        nonce,
        entries: [
          { ...base, writer: 0, parents: [], actions: first },
          { ...base, writer: 1, parents: [0], actions: second, document },
        ],
      })
    );
    sink.write(new GitRepository(join(desk.home, "storage", desk.rid.slice("rad:".length))));
    const theirs = statesByRad(openRadHome(generation, desk.home, "alice"), desk.rid);
    const ours = await statesByUs(generation, desk.home, desk.rid, objects);
    const differences = objects.flatMap(({ id }, i) => {
      const text = firstDifference(ours.get(id), theirs.get(id));
      return text === undefined ? [] : [`${Object.keys(NAMED)[i]}: ${text}`];
    });
    assert.deepEqual(differences, []);
  });
}
