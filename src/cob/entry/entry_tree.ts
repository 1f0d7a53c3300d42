/** Tree of an entry: its manifest and its actions. */
import * as v from "valibot";
import { DamagedError } from "../../errors.ts";
import { findLikeGit, parseTreeLikeGit } from "../../git/like_git.ts";
import { entryKind } from "../../git/tree.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Steps } from "../../scheduling/task.ts";
import { Text } from "./fields.ts";
import { toPlainForm } from "./serde_form.ts";
import { readManifestJson } from "./stored_json.ts";

/** Largest tree of an entry, in bytes. */
export const MAX_ENTRY_TREE_BYTES = 256 * 1024;
/** Largest manifest, in bytes. Real ones take less than a hundred. */
export const MAX_MANIFEST_BYTES = 64 * 1024;

const VERSION = v.pipe(v.number(), v.integer(), v.minValue(1));
const Manifest = v.object({ typeName: Text, version: v.optional(VERSION) });
/** Former names of members. */
const ALIASES = new Map([["typename", "typeName"]]);
const MANIFEST = "manifest";
/** The integers that Rust parses. */
const INTEGER = /^[+-]?[0-9]+$/;
const latin1 = new TextDecoder("latin1");

/** The parsed tree of an entry. */
export interface EntryTree {
  readonly manifest: Oid;
  /** Blobs of the actions, in order. */
  readonly actions: readonly Oid[];
  /** Blobs that must exist but are not applied: actions whose number another action has, too. */
  readonly hidden: readonly Oid[];
}

/**
 * Finds the manifest and the actions in the tree of an entry. The name of an action is a signed number of
 * eight bits. All further names are ignored.
 *
 * @throws {DamagedError} when there is no manifest or no action.
 */
export function parseEntryTree(bytes: Uint8Array): EntryTree {
  if (bytes.length > MAX_ENTRY_TREE_BYTES) throw new DamagedError("The tree of an entry is too large");
  const entries = parseTreeLikeGit(bytes);
  const names = entries.map(({ name }) => latin1.decode(name));
  const actions = new Map<number, Oid>();
  const hidden: Oid[] = [];
  for (const [i, { mode, oid }] of entries.entries()) {
    const kind = entryKind(mode);
    const number = INTEGER.test(names[i]!) ? Number(names[i]) : NaN;
    if (!(number >= -128 && number <= 127) || kind === "tree" || kind === "commit") continue;
    const other = actions.get(number);
    if (other !== undefined) hidden.push(other);
    actions.set(number, oid);
  }
  const manifest = entries[findLikeGit(names, MANIFEST)]?.oid;
  if (manifest === undefined || actions.size === 0) {
    throw new DamagedError("An entry has no manifest or no action");
  }
  return { manifest, actions: [...actions].sort(([a], [b]) => a - b).map(([, oid]) => oid), hidden };
}

/**
 * Whether the bytes are a manifest. As in the real programs, neither its type nor its version is compared
 * with anything.
 */
export function* isManifest(bytes: Uint8Array): Steps<boolean> {
  const value = bytes.length > MAX_MANIFEST_BYTES ? undefined : yield* readManifestJson(bytes);
  const plain = value === undefined ? undefined : yield* toPlainForm(Manifest, value, { aliases: ALIASES });
  return v.is(Manifest, plain?.value);
}
