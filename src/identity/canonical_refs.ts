/**
 * Canonical references: rules of an identity document about who decides on branches, and symbolic names of
 * branches. They were introduced by release 1.3; older documents have one rule, for the default branch.
 */
import { type Did, tryParseDid } from "../ids/nid.ts";
import { isRefString } from "../ids/refname.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { DocMembers, type DocValue, isList, toCount } from "./doc_json.ts";

/** Id of the payload with the rules. */
export const CANONICAL_REFS_PAYLOAD = "xyz.radicle.crefs";
/** Maximum number of delegates of a document or a rule, and therefore of the threshold. */
export const MAX_DELEGATES = 255;

/**
 * Maximum number of rules, and of symbolic names; a document with more has none. The real programs have no
 * such limit.
 */
export const MAX_BRANCH_RULES = 512;

/** The nodes that decide on the references matching a pattern. */
export interface BranchRule {
  /** A full name, or a full name with a single `*`. */
  readonly pattern: string;
  /** At least one; no duplicates. */
  readonly allowed: readonly Did[];
  /** Number of these that must agree: from 1 to all. */
  readonly threshold: number;
}

/** The branches that a document defines. */
export interface CanonicalRefs {
  /** Full name of the default branch, the target of `HEAD`. */
  readonly head: string;
  /** The most specific rule first; the first match counts. */
  readonly rules: readonly BranchRule[];
}

/** Inputs of canonical references besides their payload. */
export interface RefsSetting {
  /** Without duplicates. */
  readonly delegates: readonly Did[];
  readonly threshold: number;
  /** Short name of the project's default branch; `undefined` without a valid project. */
  readonly defaultBranch: string | undefined;
}

/** A rule before the keyword `delegates` is replaced by the delegates. */
interface RawRule {
  readonly pattern: string;
  readonly allow: "delegates" | readonly Did[];
  readonly threshold: number;
}

const HEAD = "HEAD";
const BRANCHES = "refs/heads/";

/**
 * Reads the canonical references of a document by the rules of the newest programs. `undefined` when they are
 * not valid: no default branch, a rule that cannot be satisfied, a dangling symbolic name, or a rule for the
 * default branch that differs from the document's.
 */
export function readCanonicalRefs(
  payload: DocValue | undefined,
  setting: RefsSetting,
): CanonicalRefs | undefined {
  const rules = payload === undefined ? [] : readRules(fieldOf(payload, "rules", 0));
  const symbols = payload === undefined ? new Map<string, string>() : readSymbols(payload);
  if (rules === undefined || symbols === undefined) return undefined;
  const { delegates, threshold, defaultBranch } = setting;
  const branch = defaultBranch === undefined ? undefined : BRANCHES + defaultBranch;
  const head = resolve(symbols, HEAD);
  if (head === undefined) {
    if (branch === undefined || !addSymbol(symbols, HEAD, branch)) return undefined;
    if (!rules.some(({ pattern }) => matchesPattern(pattern, branch))) {
      rules.push({ pattern: branch, allow: "delegates", threshold });
    }
  } else {
    const rule = rules.find(({ pattern }) => matchesPattern(pattern, head));
    const isDocuments = rule === undefined || rule.allow === "delegates" && rule.threshold === threshold;
    if (branch !== undefined && branch !== head || !isDocuments) return undefined;
  }
  const valid = rules.map((rule) => validate(rule, delegates));
  if (!valid.every((rule) => rule !== undefined) || !areResolved(symbols, valid)) return undefined;
  return { head: resolve(symbols, HEAD)!, rules: valid.toSorted(compareSpecificity) };
}

/** The rule for a reference; `undefined` when none matches. */
export function matchRule({ rules }: CanonicalRefs, name: string): BranchRule | undefined {
  return rules.find(({ pattern }) => matchesPattern(pattern, name));
}

/** The member with a name or, in a structure spelled as an array, at a position. */
function fieldOf(value: DocValue, name: string, place: number): DocValue | undefined {
  if (value instanceof DocMembers) return value.values.get(name);
  return isList(value) && value.length <= 2 ? value[place] : undefined;
}

/**
 * Reads rules in bytewise order of their patterns: the order in which the real programs search for the rule
 * of the default branch.
 */
function readRules(value: DocValue | undefined): RawRule[] | undefined {
  if (!(value instanceof DocMembers) || value.values.size > MAX_BRANCH_RULES) return undefined;
  const rules: RawRule[] = [];
  for (const [pattern, rule] of value.values) {
    const allow = rule instanceof DocMembers ? readAllow(rule.values.get("allow")) : undefined;
    const threshold = rule instanceof DocMembers ? toCount(rule.values.get("threshold")) : undefined;
    if (!isPattern(pattern) || allow === undefined || threshold === undefined) return undefined;
    rules.push({ pattern, allow, threshold });
  }
  return rules.sort((a, b) => compareUtf8(a.pattern, b.pattern));
}

function readAllow(value: DocValue | undefined): RawRule["allow"] | undefined {
  const isWord = value === "delegates" ||
    value instanceof DocMembers && value.values.size === 1 && value.values.get("delegates") === null;
  if (isWord) return "delegates";
  if (!isList(value) || value.length === 0) return undefined;
  const dids = value.map((did) => typeof did === "string" ? tryParseDid(did) : undefined);
  return dids.every((did) => did !== undefined) ? [...new Set(dids)] : undefined;
}

function validate({ pattern, allow, threshold }: RawRule, delegates: readonly Did[]): BranchRule | undefined {
  const allowed = allow === "delegates" ? delegates : allow;
  const isValid = !isProtected(pattern) && allowed.length <= MAX_DELEGATES && threshold >= 1 &&
    threshold <= allowed.length;
  return isValid ? { pattern, allowed, threshold } : undefined;
}

function readSymbols(payload: DocValue): Map<string, string> | undefined {
  const value = fieldOf(payload, "symbolic", 1);
  const symbols = new Map<string, string>();
  if (value === undefined) return symbols;
  if (!(value instanceof DocMembers) || value.values.size > MAX_BRANCH_RULES) return undefined;
  for (const [name, target] of value.values) {
    const isValid = typeof target === "string" && isRefString(name) && isRefString(target) &&
      !isProtected(name) && !isProtected(target) && addSymbol(symbols, name, target);
    if (!isValid) return undefined;
  }
  return symbols;
}

/**
 * Adds a symbolic name whose target is a full name or an existing symbolic name. Returns `false` for a cycle.
 */
function addSymbol(symbols: Map<string, string>, name: string, target: string): boolean {
  for (let at: string | undefined = target; at !== undefined; at = symbols.get(at)) {
    if (at === name) return false;
  }
  if (!symbols.has(target) && !isQualified(target)) return false;
  symbols.set(name, target);
  return true;
}

/** The full name that a symbolic name resolves to. */
function resolve(symbols: ReadonlyMap<string, string>, name: string): string | undefined {
  let found = symbols.get(name);
  for (let next = found; next !== undefined; next = symbols.get(next)) found = next;
  return found;
}

/** Whether every symbolic name resolves to a name that a rule matches, and is itself matched by none. */
function areResolved(symbols: ReadonlyMap<string, string>, rules: readonly BranchRule[]): boolean {
  const isMatched = (name: string) => rules.some(({ pattern }) => matchesPattern(pattern, name));
  return [...symbols.keys()].every((name) =>
    isMatched(resolve(symbols, name)!) && !(isQualified(name) && isMatched(name))
  );
}

/** Whether a name is qualified: `refs/heads/…`. */
function isQualified(name: string): boolean {
  return /^refs\/[^/]+\/./.test(name);
}

function isPattern(text: string): boolean {
  return isQualified(text) && text.split("*").length <= 2 && isRefString(text.replace("*", "x"));
}

/** Whether a name is below `refs/rad`, where no rules apply. */
function isProtected(name: string): boolean {
  return name === "refs/rad" || name.startsWith("refs/rad/");
}

/**
 * Whether a pattern matches: a final `*` matches any text, a component `*` any number of components, any
 * other `*` text within a component (like the real programs).
 */
function matchesPattern(pattern: string, name: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === name;
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  if (!name.startsWith(before)) return false;
  if (after === "") return true;
  const isComponent = before.endsWith("/") && after.startsWith("/");
  if (isComponent && before + after.slice(1) === name) return true;
  if (!name.endsWith(after) || name.length < before.length + after.length) return false;
  return isComponent || !name.slice(before.length, name.length - after.length).includes("/");
}

/**
 * Negative when `a` is more specific: by more components, else by a later or no `*`, else by more text, else
 * by bytes.
 */
function compareSpecificity({ pattern: a }: BranchRule, { pattern: b }: BranchRule): number {
  const left = a.split("/");
  const right = b.split("/");
  if (left.length !== right.length) return right.length - left.length;
  const i = starredComponent(left);
  const j = starredComponent(right);
  if (i !== j) return j - i;
  const x = left[i] ?? "";
  const y = right[j] ?? "";
  const order = byteLength(y.split("*")[0]!) - byteLength(x.split("*")[0]!) || byteLength(y) - byteLength(x);
  return left.reduce((result, component, k) => result || compareUtf8(component, right[k]!), order);
}

function starredComponent(components: readonly string[]): number {
  const found = components.findIndex((component) => component.includes("*"));
  return found < 0 ? Infinity : found;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
