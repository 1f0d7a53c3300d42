/**
 * Converts Markdown and highlights code in a worker of the page, because the texts are not trusted. The
 * `data:` URL of the worker gives it a separate origin. The content security policy of the page also applies
 * to the worker.
 */
import { BlockWorker } from "./block_worker.ts";
import { languageOf } from "./languages.ts";

/** Maximum length of a text that is converted from Markdown, in characters. */
const MAX_MARKDOWN_LENGTH = 128 * 1024;
/** Maximum length of a text that is highlighted, in characters. */
const MAX_HIGHLIGHTED_LENGTH = 48 * 1024;
/** Maximum total weight of the cached results. The weight of a result is about its number of characters. */
const MAX_CACHED_WEIGHT = 4 * 1024 * 1024;
/** Weight of a highlighted token, as a number of characters. */
const TOKEN_WEIGHT = 32;

/** A part of a line, and the CSS class of its colour. */
export interface Token {
  readonly text: string;
  readonly kind: string;
}

/** The constant {@link parts} as JSON, which `build/carry_page.ts` inserts. */
declare const WORKER_PARTS: string;
/**
 * File name and integrity hash of each part of the worker, by name of the part. The files are in the folder
 * of this script.
 */
const parts: Readonly<Record<string, readonly [file: string, integrity: string]>> = JSON.parse(WORKER_PARTS);

/**
 * A trusted types policy that creates script URLs from the page's own files. The only other policy belongs to
 * DOMPurify.
 */
interface WorkerPolicy {
  createScriptURL(script: string): string;
}
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy(name: string, rules: WorkerPolicy): WorkerPolicy };
};
const rules: WorkerPolicy = {
  createScriptURL: (script) => `data:text/javascript,${encodeURIComponent(script)}`,
};
const policy = trustedTypes?.createPolicy("worker", rules) ?? rules;

const scripts = new Map<string, string>();
const worker = new BlockWorker((names) =>
  new Worker(policy.createScriptURL(names.map((name) => scripts.get(name)).join("\n")))
);
addEventListener("hashchange", () => worker.beginView());

/** Results by call. The most recently used result is last. */
const cached = new Map<string, { readonly value: unknown; readonly weight: number }>();
let cachedWeight = 0;

/**
 * Converts a Markdown text to HTML that is not sanitized yet; `undefined` if the text should be shown as it
 * is.
 */
export async function renderMarkdown(text: string, isWanted: () => boolean): Promise<string | undefined> {
  if (text.length > MAX_MARKDOWN_LENGTH) return undefined;
  const weightOf = (html: string) => html.length;
  return await inWorker(["markdown"], ["renderMarkdown", text], weightOf, isWanted);
}

/** Divides a text into lines of tokens; `undefined` if the text should be shown without colours. */
export async function highlightLines(
  text: string,
  languageName: string,
  isWanted: () => boolean = () => true,
): Promise<readonly (readonly Token[])[] | undefined> {
  const language = languageOf(languageName);
  if (language === undefined || text.length > MAX_HIGHLIGHTED_LENGTH) return undefined;
  const weightOf = (lines: readonly (readonly Token[])[]) =>
    lines.reduce((sum, tokens) => sum + 1 + tokens.length, 0) * TOKEN_WEIGHT;
  return await inWorker(
    ["highlight", `language_${language}`],
    ["highlightLines", text, language],
    weightOf,
    isWanted,
  );
}

async function inWorker<Value>(
  names: readonly string[],
  call: readonly [name: string, text: string, ...args: readonly string[]],
  weightOf: (value: Value) => number,
  isWanted: () => boolean,
): Promise<Value | undefined> {
  const key = JSON.stringify(call);
  const known = cached.get(key);
  if (known !== undefined) {
    cached.delete(key);
    cached.set(key, known);
    return known.value as Value | undefined;
  }
  const needed = ["main", ...names];
  await Promise.all(needed.map(load));
  const done = await worker.run(needed, call, isWanted);
  if (done === undefined) return undefined;
  const value = done.value as Value | undefined;
  remember(key, value, key.length + (value === undefined ? 0 : weightOf(value)));
  return value;
}

async function load(name: string): Promise<void> {
  if (scripts.has(name)) return;
  const [file, integrity] = parts[name]!;
  const response = await fetch(new URL(file, import.meta.url), { integrity });
  if (!response.ok) throw new TypeError(`Part ${name} of the worker is not there`);
  scripts.set(name, await response.text());
}

/** Caches a result, which may be `undefined`, and removes the least recently used results. */
function remember(key: string, value: unknown, weight: number): void {
  if (weight > MAX_CACHED_WEIGHT || cached.has(key)) return;
  cached.set(key, { value, weight });
  cachedWeight += weight;
  for (const [oldest, { weight }] of cached) {
    if (cachedWeight <= MAX_CACHED_WEIGHT) return;
    cached.delete(oldest);
    cachedWeight -= weight;
  }
}
