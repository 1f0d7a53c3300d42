/** Query and traits of live changes (4.16). */
import * as v from "valibot";
import { parsedBy, type RouteTraits } from "../../src/mod.ts";

/** Types of live changes; `reset` is sent whatever is asked for. */
export const EVENT_TYPES = ["repository", "references", "issue", "patch", "policy", "node"] as const;
/** A type of live changes. */
export type EventType = typeof EVENT_TYPES[number] | "reset";
/** Longest list of types, in UTF-16 units. */
export const MAX_TYPES_LENGTH = 256;

/** A list of types, separated by commas. */
const Types = v.pipe(
  v.string(),
  v.maxLength(MAX_TYPES_LENGTH),
  parsedBy((text): readonly EventType[] | undefined => {
    const types = text.split(",");
    const known = EVENT_TYPES.filter((type) => types.includes(type));
    return known.length > 0 && known.length === new Set(types).size ? known : undefined;
  }),
);

/** Query of live changes. */
export const EventsQuery = v.object({ types: v.optional(Types) });

/** Media type of live changes. */
export const EVENT_STREAM_TYPE = "text/event-stream";
/** Live changes: each replica tells its own. `Last-Event-ID` resumes. */
export const OF_EVENTS: RouteTraits = {
  isLasting: true,
  crossOrigin: { methods: "GET", headers: "content-type,last-event-id" },
};
