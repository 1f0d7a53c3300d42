/** Changes of issues and patches (4.3, 4.4): one set of handlers for both dialects. */
import type { Call, Handler, OpenRepository } from "./call.ts";
import type { Changed } from "../contract/issues.ts";
import { IssueAction } from "../cob/issue/issue.ts";
import { toChange } from "../cob/write/change.ts";
import {
  checkIssueAction,
  checkNewIssue,
  checkReply,
  draftIssue,
  NewIssue,
} from "../cob/write/issue_request.ts";
import {
  checkPatchAction,
  checkReview,
  checkTarget,
  draftPatch,
  LaterPatchRequest,
  NewPatch,
  PatchRequest,
} from "../cob/write/patch_request.ts";
import type { ServedActions } from "../cob/write/served_actions.ts";
import { readBearer } from "../http/bearer.ts";
import { readJson } from "../http/body.ts";
import { json } from "../http/respond.ts";

/** The differences between changes in the two dialects. */
export interface ChangeDialect {
  readonly actions: ServedActions;
  /**
   * Reads the name of the repository in the path.
   *
   * @returns A function that opens the repository for the client, or throws `notFound`.
   * @throws {ApiError} `badParameter` when the name is malformed.
   */
  repository(call: Call): () => Promise<OpenRepository>;
}

/** Changes in version 1. */
export const V1_CHANGES: ChangeDialect = {
  actions: "early",
  repository(call) {
    const rid = call.rid("project");
    return () => call.repository(rid);
  },
};

/** Handlers that open an object and that change one. */
export interface ChangeHandlers {
  readonly open: Handler<Changed>;
  readonly change: Handler<Changed>;
}

/** Handlers for issues. */
export function issueChanges({ actions, repository }: ChangeDialect): ChangeHandlers {
  return {
    async open(call) {
      const token = readBearer(call.request);
      const openRepository = repository(call);
      const issue = await readJson(call.request, NewIssue, call.maxBodyBytes);
      checkNewIssue(issue);
      const place = await call.place(token, openRepository);
      const { writer, cobs } = call.service;
      const id = await writer.create(cobs.issues, place, await draftIssue(place.repository, issue));
      return json({ success: true, id }, { status: 201 });
    },
    async change(call) {
      const token = readBearer(call.request);
      const [openRepository, id] = [repository(call), call.oid("id")];
      const { writer, cobs, rules } = call.service;
      const action = await readJson(call.request, IssueAction, call.maxBodyBytes);
      checkIssueAction(action, rules(), actions);
      const place = await call.place(token, openRepository);
      const entry = await writer.update(cobs.issues, place, id, () => {
        checkReply(action);
        return toChange(place.repository, action);
      });
      return json({ success: true, id: entry });
    },
  };
}

/** Handlers for patches. */
export function patchChanges({ actions, repository }: ChangeDialect): ChangeHandlers {
  const Request = actions === "all" ? LaterPatchRequest : PatchRequest;
  return {
    async open(call) {
      const token = readBearer(call.request);
      const openRepository = repository(call);
      const patch = await readJson(call.request, NewPatch, call.maxBodyBytes);
      const place = await call.place(token, openRepository);
      const { writer, cobs } = call.service;
      const draft = await draftPatch(place.repository, place.graph, patch);
      return json({ success: true, id: await writer.create(cobs.patches, place, draft) }, { status: 201 });
    },
    async change(call) {
      const token = readBearer(call.request);
      const [openRepository, id] = [repository(call), call.oid("id")];
      const { writer, cobs, rules } = call.service;
      const request = await readJson(call.request, Request, call.maxBodyBytes);
      const action = checkPatchAction(request, rules(), actions);
      const place = await call.place(token, openRepository);
      const entry = await writer.update(cobs.patches, place, id, {
        check: (patch, rules) => checkReview(patch, place.signer.nodeId, action, rules),
        async plan(patch) {
          await checkTarget(place.repository, patch, action);
          return await toChange(place.repository, action);
        },
      });
      return json({ success: true, id: entry });
    },
  };
}
