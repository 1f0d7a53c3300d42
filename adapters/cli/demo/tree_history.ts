/**
 * The history of the demo's main project: merges, renames with and without change, pictures, a link, a
 * program, tags, branches.
 */
import type { Oid } from "../../../src/ids/oid.ts";
import type { Clock } from "./clock.ts";
import { type Author, type Changes, type History, link, program, type Snapshot } from "./history.ts";
import { ALICE, BOB, ZOE } from "./people.ts";
import { type Colour, leafPicture } from "./picture.ts";
import { FILES, replaced } from "./tree_files.ts";

/** Commits of the history by name. */
export interface TreeHistory {
  readonly main: Snapshot;
  /** Of the branch that is not merged. */
  readonly birds: Snapshot;
  /** Tag names without `refs/tags/`. */
  readonly tags: Readonly<Record<string, Oid>>;
}

const GREEN: Colour = [79, 157, 74];
const RED: Colour = [184, 84, 42];

/** The leaf as it is after the seasons have been renamed. */
export const LEAF = replaced(FILES["src/leaf.ts"], ["./season.ts", "./seasons.ts"]);

/** Makes the history up to the second release. */
export function growTrees(history: History, clock: Clock): TreeHistory {
  const commit = (author: Author, on: Snapshot | undefined, message: string, changes: Changes) => {
    clock.later(41);
    return history.commit(author, on, message, changes);
  };
  const file = (path: keyof typeof FILES): Changes => ({ [path]: FILES[path] });

  const first = commit(ALICE, undefined, "Start the project", { ...file("README.md"), ...file("LICENSE") });
  const tree = commit(
    ALICE,
    first,
    "Add the tree\n\nA tree grows one ring a year. Nothing else happens yet.",
    file("src/tree.ts"),
  );
  const guide = commit(ALICE, tree, "Write down how to grow one", {
    "GUIDE.md": FILES["docs/guide.md"],
    "plan.txt": FILES["docs/plan.txt"],
  });
  const seasons = commit(BOB, guide, "Add seasons", file("src/season.ts"));

  const leafCode = commit(BOB, seasons, "Add leaves", file("src/leaf.ts"));
  const leaves = commit(ZOE, leafCode, "Draw a leaf\n\nAnd show it where everybody looks first.", {
    "assets/leaf.png": leafPicture(GREEN),
    "README.md": FILES["README.md#leaf"],
  });
  const shell = commit(ALICE, seasons, "Let the tree be grown from the shell", file("bin/grow.sh"));
  const executable = commit(ALICE, shell, "Make the program executable", {
    "bin/grow.sh": program(FILES["bin/grow.sh"]),
  });
  clock.later(1);
  const withLeaves = history.merge(ALICE, executable, leaves, seasons, "Merge branch 'feature/leaves'");
  const firstRelease = history.tag(ALICE, withLeaves, "v0.1.0", "First leaves");

  const moved = commit(ALICE, withLeaves, "Move the guide into a folder of its own", {
    "GUIDE.md": null,
    "docs/guide.md": FILES["docs/guide.md"],
    "plan.txt": null,
    "docs/plan.txt": FILES["docs/plan.txt"],
  });
  const months = commit(BOB, moved, "Rename season.ts and name the months", {
    "src/season.ts": null,
    "src/seasons.ts": FILES["src/seasons.ts"],
    "src/leaf.ts": LEAF,
  });
  const linked = commit(ALICE, months, "Link the guide where it is looked for", {
    "HOWTO": link("docs/guide.md"),
    "README.md": replaced(FILES["README.md#leaf"], ["the guide", "[the guide](docs/guide.md)"]),
  });
  const forest = commit(ZOE, linked, "Plant a forest", {
    ...file("src/forest/forest.ts"),
    ...file("src/forest/almanac.ts"),
  });
  const birds = commit(BOB, forest, "Invite birds", file("src/forest/bird.ts"));
  const german = commit(ZOE, forest, "Bäume auf Deutsch 🌳", file("docs/de/bäume.md"));
  const umlauts = commit(ZOE, german, "木 auch auf Japanisch", file("docs/日本語/木.md"));
  const tested = commit(ALICE, forest, "Test that rings add up", file("test/tree.test.ts"));
  clock.later(1);
  const spoken = history.merge(ALICE, tested, umlauts, forest, "Merge branch 'docs/umlauts'");
  const dry = commit(BOB, spoken, "Expect drier summers\n\nAnd refuse months that there are not.", {
    "src/forest/almanac.ts": replaced(
      FILES["src/forest/almanac.ts"],
      ["rainMillimetres: 41,\n    degrees: 2", "rainMillimetres: 45,\n    degrees: 3"],
      ["rainMillimetres: 77,\n    degrees: 19", "rainMillimetres: 48,\n    degrees: 22"],
      ["rainMillimetres: 68,\n    degrees: 18", "rainMillimetres: 39,\n    degrees: 21"],
      [
        "  return ALMANAC[month - 1];",
        "  const weather = ALMANAC[month - 1];\n  if (weather === undefined) throw new RangeError(`No month ${month}`);\n  return weather;",
      ],
    ),
  });
  const main = commit(ALICE, dry, "Turn the leaf red, drop the plan", {
    "assets/leaf.png": leafPicture(RED),
    "docs/plan.txt": null,
  });
  return { main, birds, tags: { "v0.1.0": firstRelease, "v0.2.0": main.oid } };
}
