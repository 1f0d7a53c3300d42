/** Highlights code with highlight.js, and returns its tokens line by line. */
import hljs from "highlight.js/lib/core";
import type { Token } from "../blocks.ts";
import { scope } from "./scope.ts";

/**
 * Maximum total number of tokens and lines of a text. The page makes an element for each token and each line.
 */
const MAX_TOKENS = 20_000;

/** A node of the tree that highlight.js makes. */
interface TreeNode {
  readonly scope?: string;
  readonly children: readonly (TreeNode | string)[];
}

/**
 * Divides a text into lines of tokens; `undefined` when there are too many tokens, or the text cannot be
 * highlighted.
 */
export function highlightLines(
  text: string,
  language: string,
): readonly (readonly Token[])[] | undefined {
  if (hljs.getLanguage(language) === undefined) hljs.registerLanguage(language, scope.languages[language]!);
  const { _emitter, errorRaised } = hljs.highlight(text, { language, ignoreIllegals: true });
  // After an error, the tree contains only a part of the text.
  if (errorRaised !== undefined) return undefined;
  const { rootNode } = _emitter as unknown as { readonly rootNode: TreeNode };
  const lines: Token[][] = [[]];
  let count = 0;
  collect(rootNode, "");
  return count > MAX_TOKENS ? undefined : lines;

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
        count++;
      });
    }
  }
}

scope.calls["highlightLines"] = highlightLines;
