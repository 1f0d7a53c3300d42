/** The views that write a diff, by the names of their forms. */
import type { DiffForm } from "../../ports/workers.ts";
import { diffByKind, diffMoves, diffStats, type DiffView } from "../../views/diff.ts";
import { diffInOrder, diffStatsAlone } from "../../views/today/diff.ts";

const VIEWS: Readonly<Record<DiffForm, DiffView>> = {
  v1: diffByKind,
  "v1-stats": diffStats,
  moves: diffMoves,
  today: diffInOrder,
  "today-stats": diffStatsAlone,
};

/** The view of a form; that of version 1 by default. */
export function viewOf(form: DiffForm = "v1"): DiffView {
  return VIEWS[form];
}
