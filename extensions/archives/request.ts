/** The query of a request for an archive (docs/api.md, 4.13). */
import * as v from "valibot";

export const ArchiveQuery = v.object({ prefix: v.optional(v.picklist(["true", "false"]), "true") });
