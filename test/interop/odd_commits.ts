/** Commits with odd names, addresses and messages: how libgit2 reads them is what v1 shows. */
import { spawnSync } from "node:child_process";

/** Author and committer are the same. Each line has its brackets in an order that libgit2 accepts. */
const PEOPLE = [
  "Acme Inc. <mail@acme.example>",
  ".Acme Inc.. <.mail@acme.example.>",
  "J. R. Hartley <j.@x>",
  "'Quoted' <'q@x'>",
  '"Double" <"d@x">',
  "Back\\slash\\ <\\b@x\\>",
  ",;:Comma,;: <,:;c@x;:,>",
  "A <b> <c@x>",
  "A <<c@x>",
  "A > B <c@x>",
  "A <c@x>>",
  "A <c>@x>",
  "<only@x>",
  " <only@x>",
  ". <.>",
  "No address <>",
  "Blank address <  >",
  "No blank<n@x>",
  "\t Tab\tin name \t<\tt@x\t>",
  "\x01\x1fControl\x02 \x7f <\x01c@x\x7f>",
  "Vertical\vtab\f <v\r@x\r>",
  "\u00a0Wide\u3000 <\u2003w@x\ufeff>",
  "\u0085Next\u0085 <n@x>",
  "- Dash - <-@x->",
  "(Round) [Square] {Curly} <r@x>",
  "Ünï Cødé 😀 <ü@x>",
  "Zero\0tail <z\0tail@x>",
];

const MESSAGES = [
  "",
  "\n",
  "\n\n\n",
  " ",
  "a",
  "a\n",
  `a${" ".repeat(100_000)}b`,
  `a${" ".repeat(1000)}`,
  "a \n\nb",
  "a\n \t\nb\n",
  "a\n\v\f\r\nb",
  "a\r\n\r\nb\r\n",
  "a\r\nb\r\n\r\nc",
  "a\n  b\n\nc",
  "  a\n\nb",
  "\n \na\n\nb",
  " \n\na",
  "a  b\t\nc  d \n \n e \n",
  "a\u0085\n\u0085\nb\u0085",
  "a\n\n\ufeffb\ufeff",
  "a\n\n\u00a0b\u3000\u2028",
  "\u3000a\u3000\n\nb",
  "a\0b\n\nc",
  "\na\n\nb\0c",
  "a\n\n\0",
  "a\n\nb\n\n\nc\n\n\n",
];

/** Adds a commit for each odd name and message to the branch `main` of a working copy that has one. */
export function addOddCommits(work: string): void {
  const git = (input: string | Uint8Array, ...args: string[]): string => {
    const done = spawnSync("git", ["-C", work, ...args], { input });
    if (done.status !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr}`);
    return done.stdout.toString().trim();
  };
  const tree = git("", "rev-parse", "main^{tree}");
  let tip = git("", "rev-parse", "main");
  let timeSeconds = Number(git("", "log", "-1", "--format=%ct", "main"));
  const add = (person: string, message: string) => {
    const when = `${timeSeconds += 60} +0000`;
    const header = `tree ${tree}\nparent ${tip}\nauthor ${person} ${when}\ncommitter ${person} ${when}\n`;
    tip = git(
      new TextEncoder().encode(`${header}\n${message}`),
      "hash-object",
      "-t",
      "commit",
      "-w",
      "--literally",
      "--stdin",
    );
  };
  for (const person of PEOPLE) add(person, "Change\n");
  for (const message of MESSAGES) add("Ada Lovelace <ada@example.org>", message);
  git("", "update-ref", "refs/heads/main", tip);
}
