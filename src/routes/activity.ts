/** The answer that shows the activity of a repository: the same in both dialects (4.2.5). */
import { type Call, requireCommit, requireHead } from "./call.ts";
import { openNamed } from "./dialect.ts";
import { resolveRef } from "../git/references.ts";
import type { Activity } from "../contract/commits.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { jsonText } from "../http/respond.ts";
import { activityText } from "../views/activity.ts";

/** 52 weeks. */
export const ACTIVITY_WINDOW_SECONDS = 31_449_600;
/** Times of an answer that are written in one go: some milliseconds at most. */
const TIMES_AT_ONCE = 2 ** 15;
const CACHING = { "cache-control": "public, max-age=3600, must-revalidate" };

/** Shows the times of the commits of the last year. */
export async function showActivity(call: Call): Promise<AnswerOf<Activity>> {
  const repository = await openNamed(call);
  const head = await resolveRef(repository.objects, "HEAD");
  const tip = await requireCommit(repository, head?.oid ?? await requireHead(repository));
  const since = Math.floor(call.service.environment.now() / 1000) - ACTIVITY_WINDOW_SECONDS;
  const activity = await repository.graph.timesAfter(tip, since, call.task);
  if (activity.length <= TIMES_AT_ONCE) return jsonText(activityText(activity), { headers: CACHING });
  return withHeaders(await call.answer(pieces()), CACHING);

  async function* pieces(): AsyncGenerator<string> {
    let separator = `{"activity":[`;
    for (let at = 0; at < activity.length; at += TIMES_AT_ONCE) {
      yield separator + activity.slice(at, at + TIMES_AT_ONCE).join();
      separator = ",";
      await call.task.yield();
    }
    yield "]}";
  }
}
