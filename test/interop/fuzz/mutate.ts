/** Random changes of texts. */
import type { Random } from "../../cob/random.ts";

/** What may be put into a text: what means something in JSON, in commits and in armour, and what does not. */
const PIECES = [
  ...'{}[]":,\\/ \t\r\n\u0000\u000b\u000c\u0085\u00a0\u2028\ufeff-+.eE019abfnuxzAZ=<>@#_',
  ...[
    "\r\n",
    "\n ",
    "\n\n",
    "null",
    "true",
    "\\u0000",
    "\\ud800",
    "\\udc00",
    "1e5",
    "-1",
    "é",
    "\ue000",
    "  ",
  ],
];
/** Changes of one text at most. */
const MAX_CHANGES = 3;

/** A text with some characters put in, taken out, replaced, doubled or moved. */
export function mutate(random: Random, text: string): string {
  const characters = [...text];
  for (let n = 1 + random.below(MAX_CHANGES); n > 0 && characters.length > 0; n--) {
    const at = random.below(characters.length);
    switch (random.below(5)) {
      case 0:
        characters.splice(at, 0, random.pick(PIECES));
        break;
      case 1:
        characters.splice(at, 1);
        break;
      case 2:
        characters[at] = random.pick(PIECES);
        break;
      case 3:
        characters.splice(at, 0, ...characters.slice(at, at + 1 + random.below(8)));
        break;
      default:
        characters.splice(random.below(characters.length), 0, ...characters.splice(at, 1 + random.below(4)));
    }
  }
  return characters.join("");
}
