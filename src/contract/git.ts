/** Clones and fetches by git (4.12). */
import type { Endpoint, FileContent } from "./endpoint.ts";
import type { AnswerCode } from "./errors.ts";
import { RefsQuery } from "./queries.ts";
import { OF_GIT } from "./traits.ts";

const text: FileContent = { kind: "file", mediaTypes: ["text/plain"] };
const refs: FileContent = {
  kind: "file",
  mediaTypes: ["application/x-git-upload-pack-advertisement", "text/plain"],
};
const pack: FileContent = { kind: "file", mediaTypes: ["application/x-git-upload-pack-result"] };
const request: FileContent = { kind: "file", mediaTypes: ["application/x-git-upload-pack-request"] };

/** Errors of all routes of git, whose texts git shows to its user. */
const GIT_ERRORS: readonly AnswerCode[] = ["badParameter", "notFound", "unsupported"];

function endpointsAt(base: string, kind: string, of: string): readonly Endpoint[] {
  const { hasTextErrors, isExpensive } = OF_GIT;
  const common = { section: "4.12", hasTextErrors, isExpensive } as const;
  const fields = ["Expires", "Pragma"];
  return [
    {
      ...common,
      method: "GET",
      path: `${base}/info/refs`,
      name: `list${kind}Refs`,
      summary: `References ${of}, for git.`,
      query: RefsQuery,
      answers: { 200: refs },
      errors: [...GIT_ERRORS, "forbidden"],
      fields,
    },
    {
      ...common,
      method: "GET",
      path: `${base}/HEAD`,
      name: `show${kind}Head`,
      summary: `Branch to which \`HEAD\` points ${of}.`,
      answers: { 200: text },
      errors: GIT_ERRORS,
    },
    {
      ...common,
      method: "POST",
      path: `${base}/git-upload-pack`,
      name: `send${kind}Pack`,
      summary: `Pack of objects ${of}, for git.`,
      content: request,
      answers: { 200: pack },
      errors: [...GIT_ERRORS, "badRequest", "payloadTooLarge", "unsupportedMediaType"],
      fields,
    },
    ...(["GET", "POST"] as const).map((method): Endpoint => ({
      ...common,
      method,
      path: `${base}/git-receive-pack`,
      name: `refuse${kind}Push${method === "GET" ? "" : "Pack"}`,
      summary: `There are no pushes ${of}.`,
      answers: {},
      errors: [...GIT_ERRORS, "forbidden"],
    })),
  ];
}

/** Routes of git. */
export const gitEndpoints: readonly Endpoint[] = [
  ...endpointsAt("/:name", "Git", "of a repository"),
  ...endpointsAt("/:name/:nid", "Peer", "of one node's namespace"),
];
