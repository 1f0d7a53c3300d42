/** The issues of the demo's main project. */
import { base64 } from "@scure/base";
import { didOfNid } from "../../../src/ids/did.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { Member } from "./member.ts";
import { leafPicture } from "./picture.ts";
import type { Project } from "./project.ts";

const WATER = `Trees grow by themselves, whatever the weather:

\`\`\`ts
grow(plant("lime"), 30); // thirty dry years
\`\`\`

They should need water, and look thirsty without it.`;

const RINGS = `Something like

\`\`\`
((((( o )))))
\`\`\`

would be enough for a start.`;

const UMLAUTS = `\`docs/de/bäume.md\` and \`docs/日本語/木.md\` show well here. What about these?

- [x] Äste und Zweige
- [x] 枝と葉
- [ ] عروق الشجر
`;

/** Opens, discusses and closes. */
export async function discussIssues(project: Project, bob: Member, zoe: Member): Promise<void> {
  const { rid, clock, owner: alice } = project;
  const open = (who: Member, title: string, description: string, more: object = {}) => {
    clock.later(9);
    const empty = { labels: [], assignees: [], embeds: [] };
    return who.open(rid, "issues", { title, description, ...empty, ...more });
  };
  const change = (who: Member, issue: Oid, action: object) => {
    clock.later(1);
    return who.change(rid, "issues", issue, action);
  };
  const say = (who: Member, issue: Oid, body: string, more: object = {}) => {
    clock.later(3);
    return change(who, issue, { type: "comment", body, replyTo: issue, ...more });
  };
  const react = (who: Member, issue: Oid, id: Oid, reaction: string) =>
    change(who, issue, { type: "comment.react", id, reaction, active: true });

  const water = await open(alice, "Trees are never watered", WATER, { labels: ["bug", "good-first-issue"] });
  const rings = await open(alice, "Print the rings as a picture", RINGS, { labels: ["idea"] });
  const leaves = await open(alice, "Leaves fall up", "After `autumn` every leaf is above the crown.", {
    labels: ["bug"],
  });
  const licence = await open(bob, "Which licence is this under?", "I would like to plant a copy.");

  const answer = await say(bob, water, "A can with a hose would do. I can look into it next week.");
  await say(alice, water, "Yes please! Rain could come later.", { replyTo: answer });
  await react(alice, water, answer, "🌱");
  await react(zoe, water, answer, "🌱");
  await react(zoe, water, water, "👍");
  await change(alice, water, { type: "assign", assignees: [didOfNid(bob.nid)] });

  const reason = await say(
    alice,
    leaves,
    "The sign of gravity was wrong. Fixed with the move of the sesons.",
  );
  await change(alice, leaves, {
    type: "comment.edit",
    id: reason,
    body: "The sign of gravity was wrong. Fixed with the move of the seasons.",
    embeds: [],
  });
  await change(alice, leaves, { type: "lifecycle", state: { status: "closed", reason: "solved" } });

  await say(alice, licence, "Public domain; it is in the LICENSE, and now in the README, too.");
  await change(alice, licence, { type: "label", labels: ["question"] });
  await change(bob, licence, { type: "lifecycle", state: { status: "closed", reason: "solved" } });

  const sketch = base64.encode(leafPicture([79, 157, 74]));
  await say(zoe, rings, "With a leaf on top? ![leaf](leaf.png)", {
    embeds: [{ name: "leaf.png", content: `data:image/png;base64,${sketch}` }],
  });
  await change(alice, rings, { type: "label", labels: ["help-wanted", "idea"] });

  const umlauts = await open(zoe, "Ästhetik: names of files in all scripts 🌍", UMLAUTS);
  const mistaken = await say(bob, umlauts, "Wrong window, sorry.");
  await change(bob, umlauts, { type: "comment.redact", id: mistaken });
  await say(bob, umlauts, "They do in my terminal.");
  await change(alice, umlauts, { type: "label", labels: ["docs", "größer-als-gedacht"] });

  const metre = await open(bob, "Sell trees by the metre", "Standing or lying, the price is the same.");
  await say(alice, metre, "Not here. They grow too slowly to be sold.");
  await change(alice, metre, { type: "lifecycle", state: { status: "closed", reason: "other" } });
}
