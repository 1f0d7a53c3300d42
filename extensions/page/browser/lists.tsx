/** Draws lists in a box, with a filter, on several pages, folded, or in parts. */
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Empty } from "./parts.tsx";
import { textParts } from "./plain_text.ts";
import { whenFree } from "./steps.ts";

/** Number of items that are drawn at a time, which fit into one frame. */
const ROWS_AT_ONCE = 100;
/** Maximum number of items that are drawn. A tab does not have enough memory for millions of elements. */
export const MAX_ROWS = 20_000;
/** Draws a list in a box, or a note that the list is empty. */
export function Rows<Item>(
  { items, empty, children }: {
    readonly items: readonly Item[];
    readonly empty: string;
    /** Draws an item as an `li` element. */
    readonly children: (item: Item) => JSX.Element;
  },
): JSX.Element {
  if (items.length === 0) return <Empty>{empty}</Empty>;
  return <ul class="box rows">{items.map((item) => children(item))}</ul>;
}

/** Draws a part of a view that can be folded. The content is drawn when the part is first opened. */
export function Fold(
  { isOpen, summary, children, ...others }: {
    readonly isOpen: boolean;
    readonly summary: ComponentChildren;
    readonly children: () => ComponentChildren;
    readonly class?: string;
    readonly id?: string;
  },
): JSX.Element {
  const [isDrawn, setDrawn] = useState(isOpen);
  const draw = ({ currentTarget }: { readonly currentTarget: HTMLDetailsElement }) =>
    currentTarget.open && setDrawn(true);
  return (
    <details {...others} open={isOpen} onToggle={draw}>
      <summary>{summary}</summary>
      {isDrawn && children()}
    </details>
  );
}

/**
 * Returns a text field that filters a list, and a function that checks whether a text contains the content of
 * the field.
 */
export function useFilter(id: string, label: string) {
  const [filter, setFilter] = useState("");
  const field = (
    <input
      class="push"
      type="search"
      id={id}
      aria-label={label}
      placeholder="Filter"
      autocomplete="off"
      onInput={({ currentTarget }) => setFilter(currentTarget.value.trim().toLowerCase())}
    />
  );
  return { field, isWanted: (text: string) => text.toLowerCase().includes(filter) };
}

export function Pager(
  { page, hasMore, hrefOf }: {
    readonly page: number;
    readonly hasMore: boolean;
    /** Returns the address of a page. `undefined` means the first page. */
    readonly hrefOf: (page: string | undefined) => string;
  },
): JSX.Element | null {
  if (page === 0 && !hasMore) return null;
  const to = (page: number) => hrefOf(page === 0 ? undefined : `${page}`);
  return (
    <nav class="pager" aria-label="Pages">
      {page > 0 ? <a rel="prev" href={to(page - 1)}>← Newer</a> : <span>← Newer</span>}
      <span>Page {page + 1}</span>
      {hasMore ? <a rel="next" href={to(page + 1)}>Older →</a> : <span>Older →</span>}
    </nav>
  );
}

/** Parses the number of a page. The first page has the number 0. */
export function pageNumber(text: string | undefined): number {
  return /^\d{1,6}$/.test(text ?? "") ? Number(text) : 0;
}

export function PlainText({ text }: { readonly text: string }): JSX.Element {
  const parts = useMemo(() => textParts(text), [text]);
  const draw = useCallback((part: string) => <>{part}</>, [text]);
  return (
    <pre class="text">
      <InParts items={parts} size={1} draw={draw} />
    </pre>
  );
}

/**
 * Draws a long list part by part. Each part is drawn in a separate task, so that the tab is never blocked for
 * long. When `draw` is another function than before, everything is drawn again.
 */
export function InParts<Item>(
  { items, size = ROWS_AT_ONCE, draw }: {
    readonly items: readonly Item[];
    readonly size?: number;
    readonly draw: (item: Item, index: number) => JSX.Element;
  },
): JSX.Element {
  const total = Math.ceil(Math.min(items.length, MAX_ROWS) / size);
  const parts = useRef<JSX.Element[]>([]);
  const [progress, setProgress] = useState({ draw, drawn: 0 });
  // When `draw` has changed, the old parts stay until new parts replace them.
  const drawn = progress.draw === draw ? progress.drawn : 0;
  const drawPart = (i: number) => {
    const ofPart = items.slice(i * size, (i + 1) * size);
    parts.current[i] = <div class="part" key={i}>{ofPart.map((item, at) => draw(item, i * size + at))}</div>;
  };
  parts.current.length = Math.min(parts.current.length, total);
  if (parts.current.length === 0 && total > 0) drawPart(0);
  useEffect(() => {
    if (drawn >= total) return;
    return whenFree(() => {
      drawPart(drawn);
      setProgress({ draw, drawn: drawn + 1 });
    });
  }, [drawn, total, draw]);
  return (
    <>
      {[...parts.current]}
      {parts.current.length < total && <p class="waiting" role="status">Drawing…</p>}
      {items.length > MAX_ROWS && <Empty>The first {MAX_ROWS.toLocaleString("en")} are shown.</Empty>}
    </>
  );
}
