/** The members of an object that lists need: all objects of a list have them, whole or saved. */
import type { Did, NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";

/** Members of an object by which lists are filtered, ordered and counted. */
export interface ObjectSummary {
  readonly id: Oid;
  readonly author: NodeId;
  /** Time of opening, seconds since the epoch. */
  readonly timeSeconds: number;
  readonly title: string;
  readonly state: { readonly status: string };
  readonly labels: readonly string[];
  readonly assignees: readonly (NodeId | Did)[];
}
