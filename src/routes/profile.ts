/** The configuration of the node and the path of its home (4.7), for the owner only. */
import type { Call, RoutesOf } from "./call.ts";
import type { Profile, profileEndpoints } from "../contract/node.ts";
import { ApiError } from "../errors.ts";
import type { AnswerOf } from "../http/answer.ts";
import { json } from "../http/respond.ts";

/** Routes of the profile. */
export const profileRoutes: RoutesOf<typeof profileEndpoints> = [
  ["GET", "/api/v1/profile", showProfile],
];

/** Header fields of data that only the owner may see. */
const NO_STORE = { "cache-control": "no-store" };

/** Choice: 404 on a host without a Radicle home. */
async function showProfile(call: Call): Promise<AnswerOf<Profile>> {
  if (!call.isPrivileged) throw new ApiError("unauthorized", "Profile data is only shown for localhost");
  const { profile } = call.service;
  const config = await profile.config?.();
  if (config === undefined || profile.home === undefined) throw new ApiError("notFound", "Not Found");
  return json({ config, home: profile.home }, { headers: NO_STORE });
}
