/** The part of an answer that can be compared: it depends neither on the moment nor on chance. */
import { ACTIVITY_WINDOW_SECONDS } from "../../../src/routes/activity.ts";
import { isList, isObject, type Json, objectOf } from "./json.ts";

/** How near to the begin of its window `/activity` may list a time or not, in seconds. */
const ACTIVITY_MARGIN_SECONDS = 60;

/**
 * An answer without times of `/activity` that are not in the window of every clock.
 *
 * @param path Path of the request.
 */
export function steadyPart(json: Json | undefined, path: string, nowSeconds: number): Json | undefined {
  if (!/\/activity(\?|$)/.test(path) || !isObject(json) || !isList(json["activity"])) return json;
  const fromSeconds = nowSeconds - ACTIVITY_WINDOW_SECONDS + ACTIVITY_MARGIN_SECONDS;
  const times = json["activity"].filter((time) => typeof time !== "number" || time > fromSeconds);
  return objectOf([...Object.entries(json), ["activity", times]]);
}
