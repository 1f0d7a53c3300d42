/** Highlighted code, by highlight.js. Its tokens become elements with a class, its text stays text. */
import hljs from "highlight.js/lib/core";
import { languageOf } from "./languages.ts";

/** Longest text that is highlighted, in characters: a longer one would block the tab. */
export const MAX_HIGHLIGHTED_LENGTH = 48 * 1024;

/** A part of a line: its text, and the class of its colour. */
export interface Token {
  readonly text: string;
  readonly kind: string;
}

/** A node of the tree that highlight.js makes. */
interface TreeNode {
  readonly scope?: string;
  readonly children: readonly (TreeNode | string)[];
}

/** Lines of a text as tokens; `undefined` for languages that are not known, and texts that are too long. */
export async function highlightLines(
  text: string,
  language: string,
): Promise<readonly (readonly Token[])[] | undefined> {
  const found = languageOf(language);
  if (found === undefined || text.length > MAX_HIGHLIGHTED_LENGTH) return undefined;
  const [name, load] = found;
  if (hljs.getLanguage(name) === undefined) hljs.registerLanguage(name, (await load()).default);
  const { _emitter } = hljs.highlight(text, { language: name, ignoreIllegals: true });
  const { rootNode } = _emitter as unknown as { readonly rootNode: TreeNode };
  const lines: Token[][] = [[]];
  collect(rootNode, "");
  return lines;

  function collect({ children, scope }: TreeNode, outer: string): void {
    const kind = scope?.split(".")[0] ?? outer;
    for (const child of children) {
      if (typeof child === "object") {
        collect(child, kind);
        continue;
      }
      child.split("\n").forEach((text, i) => {
        if (i > 0) lines.push([]);
        if (text !== "") lines.at(-1)!.push({ text, kind: kind.replace(/[^\w-]/g, "") });
      });
    }
  }
}
