/** Handlers for changes of issues and patches (specification, 4.3, 4.4), which both dialects share. */
import type { Call } from "./call.ts";
import type { OpenRepository } from "./opened_repository.ts";
import { openNamed } from "./dialect.ts";
import type { AnswerOf } from "../http/answer.ts";
import type { Changed } from "../contract/issues.ts";
import { IssueRequest } from "../cob/issue/issue.ts";
import { type ServedActions, toChange } from "../cob/write/change.ts";
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
  completeLocation,
  draftPatch,
  NewPatch,
  PatchRequest,
} from "../cob/write/patch_request.ts";
import { readBearer } from "../http/privilege.ts";
import { MAX_PROJECT_BODY_BYTES, readJson } from "../http/body.ts";
import { json } from "../http/respond.ts";

/** Returns the actions that clients may send. The `/repos` dialect has more actions than version 1. */
function actionsFor({ dialect }: Call): ServedActions {
  return dialect === "today" ? "all" : "early";
}

/**
 * Reads the name of the repository in the path, and returns a function that opens the repository. In the
 * `/repos` dialect, an unknown name and a hidden repository are refused with 404 at the same step. Otherwise
 * clients other than the owner could recognize aliases of private repositories.
 *
 * @throws {UnreadableIdError} in version 1 when the name is malformed.
 */
function namedBy(call: Call): () => Promise<OpenRepository> {
  if (call.dialect === "today") return () => openNamed(call);
  const rid = call.rid("project");
  return () => call.repository(rid);
}

export async function openIssue(call: Call): Promise<AnswerOf<Changed>> {
  const token = readBearer(call.request);
  const open = namedBy(call);
  const issue = await readJson(call.request, NewIssue, MAX_PROJECT_BODY_BYTES, call.task);
  checkNewIssue(issue);
  const repository = await call.openForWrite(token, open);
  const { writer, cobs } = call.service;
  const id = await writer.create(
    cobs.issues,
    repository,
    await draftIssue(repository.objects, issue, repository.task),
  );
  return json({ success: true, id }, { status: 201 });
}

export async function changeIssue(call: Call): Promise<AnswerOf<Changed>> {
  const token = readBearer(call.request);
  const [open, id] = [namedBy(call), call.oid("id")];
  const { writer, cobs, writeRules } = call.service;
  const action = await readJson(call.request, IssueRequest, MAX_PROJECT_BODY_BYTES, call.task);
  checkIssueAction(action, writeRules(), actionsFor(call));
  const repository = await call.openForWrite(token, open);
  const entry = await writer.update(cobs.issues, repository, id, () => {
    checkReply(action);
    return toChange(repository.objects, action, repository.task);
  });
  return json({ success: true, id: entry });
}

export async function openPatch(call: Call): Promise<AnswerOf<Changed>> {
  const token = readBearer(call.request);
  const open = namedBy(call);
  const patch = await readJson(call.request, NewPatch, MAX_PROJECT_BODY_BYTES, call.task);
  const repository = await call.openForWrite(token, open);
  const { writer, cobs } = call.service;
  const draft = await draftPatch(repository, patch);
  return json({ success: true, id: await writer.create(cobs.patches, repository, draft) }, { status: 201 });
}

export async function changePatch(call: Call): Promise<AnswerOf<Changed>> {
  const token = readBearer(call.request);
  const [open, id] = [namedBy(call), call.oid("id")];
  const { writer, cobs, writeRules } = call.service;
  const actions = actionsFor(call);
  const request = await readJson(call.request, PatchRequest, MAX_PROJECT_BODY_BYTES, call.task);
  const action = checkPatchAction(request, writeRules(), actions);
  const repository = await call.openForWrite(token, open);
  const entry = await writer.update(cobs.patches, repository, id, {
    check: (patch, rules) => checkReview(patch, repository.signer.nodeId, action, rules),
    async plan(patch) {
      await checkTarget(repository.objects, patch, action);
      return await toChange(repository.objects, completeLocation(patch, action), repository.task);
    },
  });
  return json({ success: true, id: entry });
}
