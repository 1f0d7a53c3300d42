/** The smaller repositories of the demo: one with a table, one that is private. */
import type { Clock } from "./clock.ts";
import { History } from "./history.ts";
import type { Member } from "./member.ts";
import { ALICE, BOB } from "./people.ts";
import { type Place, Project } from "./project.ts";

const CATALOGUE = `# Seed catalogue

One line for each kind in [seeds.csv](seeds.csv): name, first and last month to sow it.
`;

const SEEDS = `name,from,until
bean,5,6
carrot,3,7
lettuce,3,8
sunflower,4,5
`;

const HERBS = `name,from,until
Bärlauch,8,10
Kümmel,3,4
Rucola,3,9
`;

const NOTES = `# Winter notes

- Not everybody may read this repository.
- Buy straw.
`;

/** A public repository with a few commits and an issue. */
export async function foundCatalogue(place: Place, bob: Member): Promise<Project> {
  const { clock } = place;
  clock.later(30);
  const history = new History(clock);
  const first = history.commit(ALICE, undefined, "Start the catalogue", { "README.md": CATALOGUE });
  clock.later(41);
  const seeds = history.commit(ALICE, first, "List the first seeds", { "seeds.csv": SEEDS });
  clock.later(12);
  const herbs = history.commit(BOB, seeds, "Kräuter dazu", { "kräuter/kräuter.csv": HERBS });
  const description = "Seeds, by name and season";
  const draft = { name: "seed-catalogue", description, visibility: "public" } as const;
  const project = await Project.found(place, draft, history, herbs);
  await askForTomatoes(project, bob, clock);
  return project;
}

async function askForTomatoes({ rid }: Project, bob: Member, clock: Clock): Promise<void> {
  clock.later(5);
  await bob.open(rid, "issues", {
    title: "Tomatoes are missing",
    description: "March to April, on the window sill.",
    labels: [],
    assignees: [],
    embeds: [],
  });
}

/** A repository that only the owner of the home gets to see. */
export async function foundNotes(place: Place): Promise<Project> {
  const { clock } = place;
  clock.later(30);
  const history = new History(clock);
  const first = history.commit(ALICE, undefined, "Start the notes", { "notes.md": NOTES });
  const description = "Only for those who are let in";
  const draft = { name: "winter-notes", description, visibility: "private" } as const;
  return await Project.found(place, draft, history, first);
}
