/** Markdown in views. Its parser is loaded when there is some. */
import { type JSX, render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Embed } from "../client/mod.ts";
import type { TextPlace } from "./markdown.ts";
import { Tokens, useRepository } from "./parts.tsx";

/** Most pictures of one text that are drawn. */
const MAX_PICTURES = 40;

/** A text in markdown. Until it is drawn, and when it is too long, it is shown as it is. */
export function Markdown(
  { text, place, embeds = [], firstLevel = 3 }: {
    readonly text: string;
    /** The file in which it stands. */
    readonly place?: TextPlace;
    /** Files that belong to it. */
    readonly embeds?: readonly Embed[];
    /** Level of its highest heading. */
    readonly firstLevel?: number;
  },
): JSX.Element {
  const { rid } = useRepository();
  const drawing = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState<boolean>();
  useEffect(() => {
    let isCurrent = true;
    void (async () => {
      const { drawMarkdown, MAX_MARKDOWN_LENGTH } = await import("./markdown.ts");
      if (!isCurrent) return;
      if (text.length > MAX_MARKDOWN_LENGTH) return setDrawn(false);
      // Programs name them by their names, or by the ids of their blobs.
      const blobs = new Map(embeds.flatMap(({ name, content }) => {
        const oid = content.replace(/^git:/, "");
        return [[name, oid], [oid, oid]];
      }));
      const { content, pictures } = drawMarkdown(text, place, blobs, firstLevel);
      drawing.current?.replaceChildren(content);
      setDrawn(true);
      const { pictureAddress } = await import("./pictures.ts");
      for (const [i, { element, source }] of pictures.entries()) {
        if (!isCurrent) return;
        const address = i < MAX_PICTURES
          ? await pictureAddress(rid, source).catch(() => undefined)
          : undefined;
        if (address === undefined) element.replaceWith(element.alt || "picture");
        else element.src = address;
      }
      const codes = drawing.current?.querySelectorAll<HTMLElement>("pre > code[class]") ?? [];
      if (codes.length === 0) return;
      const { highlightLines } = await import("./highlight.ts");
      for (const code of codes) {
        const lines = await highlightLines(code.textContent, code.className.replace("language-", ""));
        if (lines === undefined) continue;
        code.textContent = "";
        render(lines.map((tokens, i) => [i > 0 && "\n", <Tokens key={i} tokens={tokens} />]), code);
      }
    })().catch(() => setDrawn((isDrawn) => isDrawn ?? false));
    return () => {
      isCurrent = false;
    };
  }, [text, place?.path, place?.revision]);
  return (
    <>
      {!isDrawn && <pre class="text">{text}</pre>}
      {isDrawn === false && <p class="note as-it-is">This text is shown as it is.</p>}
      <div class="markdown" ref={drawing} hidden={!isDrawn} />
    </>
  );
}
