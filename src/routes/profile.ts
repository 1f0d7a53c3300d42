/** The configuration of the node and where it lies (4.7): for its owner alone. */
import type { Call, Route } from "./call.ts";
import { ApiError } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import { json } from "../http/respond.ts";

/** Routes of the profile. */
export const profileRoutes: readonly Route[] = [
  ["GET", "/api/v1/profile", showProfile],
];

/** What only the owner may see is for no cache. */
const PRIVATE = { "cache-control": "no-store" };

/** Choice: a host without a home has no profile to show. */
async function showProfile(call: Call): Promise<Answer> {
  if (!call.isPrivileged) throw new ApiError("unauthorized", "Profile data is only shown for localhost");
  const { profile } = call.service;
  const config = await profile.config?.();
  if (config === undefined || profile.home === undefined) throw new ApiError("notFound", "Not Found");
  return json({ config, home: profile.home }, { headers: PRIVATE });
}
