/**
 * Canonical references, which an identity document defines by rules and symbolic names. A rule determines
 * which nodes decide on a branch or tag. Release 1.3 of Radicle introduced the rules. Older documents have a
 * single rule, for the default branch.
 */
import { type Did, tryParseDid } from "../ids/nid.ts";
import { isRefString } from "../ids/refname.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { DocMembers, type DocValue, isList, toCount } from "./doc_json.ts";

/** Id of the payload that contains the rules. */
export const CANONICAL_REFS_PAYLOAD = "xyz.radicle.crefs";
/** Maximum number of delegates of a document or a rule, and therefore the maximum threshold. */
export const MAX_DELEGATES = 255;

/**
 * Maximum number of rules, and maximum number of symbolic names. A document with more rules or names has no
 * valid canonical references. The Radicle programs have no such limit.
 */
export const MAX_BRANCH_RULES = 512;

/** A rule: the nodes that decide on all references that match a pattern. */
export interface BranchRule {
  /** A full name, or a full name that contains a single `*`. */
  readonly pattern: string;
  /** The nodes that decide: at least one, without duplicates. */
  readonly allowed: readonly Did[];
  /** Number of allowed nodes that must agree: at least 1, at most all allowed nodes. */
  readonly threshold: number;
}

/** The canonical references that a document defines. */
export interface CanonicalRefs {
  /** Full name of the default branch, the target of `HEAD`. */
  readonly head: string;
  /** The rules, sorted from the most specific to the least specific. The first matching rule is used. */
  readonly rules: readonly BranchRule[];
}

/**
 * The parts of a document that affect its canonical references, without the payload that contains the rules.
 */
export interface RefsSetting {
  readonly delegates: readonly Did[];
  readonly threshold: number;
  /** Short name of the default branch of the project; `undefined` without a valid project. */
  readonly defaultBranch: string | undefined;
}

/** A rule in which the keyword `delegates` has not yet been replaced by the delegates. */
interface RawRule {
  readonly pattern: string;
  readonly allow: "delegates" | readonly Did[];
  readonly threshold: number;
}

const HEAD = "HEAD";
const BRANCHES = "refs/heads/";

/**
 * Reads the canonical references of a document as the newest Radicle programs do. Returns `undefined` when
 * they are not valid: they have no default branch, a rule that cannot be satisfied, a symbolic name without a
 * target, or a rule for the default branch that differs from the delegates or the threshold of the document.
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

/** Returns the rule for a reference; `undefined` when no rule matches. */
export function matchRule({ rules }: CanonicalRefs, name: string): BranchRule | undefined {
  return rules.find(({ pattern }) => matchesPattern(pattern, name));
}

/**
 * Returns the member `name` of an object. The Radicle programs also accept an array of the members. In this
 * case, the item at the index `place` is returned.
 */
function fieldOf(value: DocValue, name: string, place: number): DocValue | undefined {
  if (value instanceof DocMembers) return value.values.get(name);
  return isList(value) && value.length <= 2 ? value[place] : undefined;
}

/**
 * Reads rules in the bytewise order of their patterns, in which the Radicle programs search for the rule of
 * the default branch.
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
 * Adds a symbolic name. Returns `false` if the target is neither a full name nor an existing symbolic name,
 * or if the names would form a cycle.
 */
function addSymbol(symbols: Map<string, string>, name: string, target: string): boolean {
  for (let at: string | undefined = target; at !== undefined; at = symbols.get(at)) {
    if (at === name) return false;
  }
  if (!symbols.has(target) && !isQualified(target)) return false;
  symbols.set(name, target);
  return true;
}

/** Follows symbolic names to a full name. Returns `undefined` if `name` is not a symbolic name. */
function resolve(symbols: ReadonlyMap<string, string>, name: string): string | undefined {
  let found = symbols.get(name);
  for (let next = found; next !== undefined; next = symbols.get(next)) found = next;
  return found;
}

/**
 * Checks whether every symbolic name leads to a name that matches a rule, and no symbolic name itself matches
 * a rule.
 */
function areResolved(symbols: ReadonlyMap<string, string>, rules: readonly BranchRule[]): boolean {
  const isMatched = (name: string) => rules.some(({ pattern }) => matchesPattern(pattern, name));
  return [...symbols.keys()].every((name) =>
    isMatched(resolve(symbols, name)!) && !(isQualified(name) && isMatched(name))
  );
}

function isQualified(name: string): boolean {
  return /^refs\/[^/]+\/./.test(name);
}

function isPattern(text: string): boolean {
  return isQualified(text) && text.split("*").length <= 2 && isRefString(text.replace("*", "x"));
}

/** Checks whether a name is `refs/rad` or below it. Rules must not apply to such names. */
function isProtected(name: string): boolean {
  return name === "refs/rad" || name.startsWith("refs/rad/");
}

/**
 * Checks whether a pattern matches a name, as in the Radicle programs. A `*` at the end matches any text. A
 * `*` that is a whole component matches any number of components. Any other `*` matches text within a
 * component.
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
 * Compares how specific two patterns are. The result is negative when `a` is more specific. More specific is
 * the pattern with more components, then the pattern without `*` or with the later `*`, then the pattern with
 * the longer text around its `*`, then the first pattern in the order of bytes.
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
