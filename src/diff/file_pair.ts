/** A file of a diff with the change that it comes from. */
import type { Change } from "./tree_comparison.ts";

/** Two sides of one file of a diff. */
export interface FilePair {
  /** The change that has the old side: `to` itself unless the file was moved or copied. */
  readonly from: Change;
  /** The change that has the new side. */
  readonly to: Change;
  readonly isRename: boolean;
}
