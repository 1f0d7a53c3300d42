/** Query and properties of the routes of live changes (docs/api.md, 4.16). */
import * as v from "valibot";
import { parsedBy, type RouteTraits } from "../../src/mod.ts";

/** Types of live changes that a client can request. Events of the type `reset` are always sent. */
export const EVENT_TYPES = ["repository", "references", "issue", "patch", "policy", "node"] as const;
export type EventType = typeof EVENT_TYPES[number] | "reset";
/** Maximum length of a list of types, in UTF-16 units. */
export const MAX_TYPES_LENGTH = 256;

/** Schema of a list of types, separated by commas. */
const Types = v.pipe(
  v.string(),
  v.maxLength(MAX_TYPES_LENGTH),
  parsedBy((text): readonly EventType[] | undefined => {
    const types = text.split(",");
    const known = EVENT_TYPES.filter((type) => types.includes(type));
    return known.length > 0 && known.length === new Set(types).size ? known : undefined;
  }),
);

export const EventsQuery = v.object({ types: v.optional(Types) });

/** Media type of live changes. */
export const EVENT_STREAM_TYPE = "text/event-stream";
/**
 * Properties of the routes of live changes. Each replica reports its own changes. A client continues a stream
 * with `Last-Event-ID`.
 */
export const OF_EVENTS: RouteTraits = {
  isLasting: true,
  crossOrigin: { methods: "GET", headers: "content-type,last-event-id" },
};
