/** Draws Markdown in views. The code for Markdown is loaded when a text is first drawn. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Embed } from "../../../src/client/mod.ts";
import type { Token } from "./blocks.ts";
import type { TextPlace } from "./markdown.ts";
import { PlainText } from "./lists.tsx";
import { useRepository } from "./parts.tsx";

/** Maximum number of pictures in one text that are drawn. */
const MAX_PICTURES = 40;

/** Draws a Markdown text. A text that is not converted yet, or is too long, is shown as it is. */
export function Markdown(
  { text, place, embeds = [], firstLevel = 3 }: {
    readonly text: string;
    /** The file that contains the text, if the text is in a file. */
    readonly place?: TextPlace;
    /** Files that are attached to the text. */
    readonly embeds?: readonly Embed[];
    /** Level of the highest heading in the text. */
    readonly firstLevel?: number;
  },
): JSX.Element {
  const { rid } = useRepository();
  const drawing = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState<boolean>();
  useEffect(() => {
    let isCurrent = true;
    const isWanted = () => isCurrent;
    void (async () => {
      const [blocks, { drawMarkdown }] = await Promise.all([import("./blocks.ts"), import("./markdown.ts")]);
      const html = await blocks.renderMarkdown(text, isWanted);
      if (!isCurrent) return;
      if (html === undefined) return setDrawn(false);
      // Some programs refer to a file by its name, and others by the id of its blob.
      const blobs = new Map(embeds.flatMap(({ name, content }) => {
        const oid = content.replace(/^git:/, "");
        return [[name, oid], [oid, oid]];
      }));
      const drawn = drawMarkdown(html, place, blobs, firstLevel);
      if (drawn === undefined) return setDrawn(false);
      const { content, pictures } = drawn;
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
      for (const code of codes) {
        const lines = await blocks.highlightLines(
          code.textContent,
          code.className.replace("language-", ""),
          isWanted,
        );
        if (!isCurrent) return;
        if (lines !== undefined) colour(code, lines);
      }
    })().catch(() => setDrawn((isDrawn) => isDrawn ?? false));
    return () => {
      isCurrent = false;
    };
  }, [text, place?.path, place?.revision]);
  return (
    <>
      {!isDrawn && <PlainText text={text} />}
      {isDrawn === false && <p class="note as-it-is">This text is shown as it is.</p>}
      <div class="markdown" ref={drawing} hidden={!isDrawn} />
    </>
  );
}

function colour(code: HTMLElement, lines: readonly (readonly Token[])[]): void {
  const coloured = document.createDocumentFragment();
  for (const [i, tokens] of lines.entries()) {
    if (i > 0) coloured.append("\n");
    for (const { text, kind } of tokens) {
      if (kind === "") {
        coloured.append(text);
        continue;
      }
      const token = document.createElement("span");
      token.className = `t-${kind}`;
      token.textContent = text;
      coloured.append(token);
    }
  }
  code.replaceChildren(coloured);
}
