/** Describes the routes of git over HTTP in the contract (docs/api.md, 4.12). */
import { type Endpoint, type FileContent, route } from "../../src/contract/mod.ts";
import type { ErrorCode } from "../../src/mod.ts";
import { RefsQuery } from "./request.ts";

const text: FileContent = { kind: "file", mediaTypes: ["text/plain"] };
const refs: FileContent = {
  kind: "file",
  mediaTypes: ["application/x-git-upload-pack-advertisement", "text/plain"],
};
const pack: FileContent = { kind: "file", mediaTypes: ["application/x-git-upload-pack-result"] };
const request: FileContent = { kind: "file", mediaTypes: ["application/x-git-upload-pack-request"] };

/** Errors of all routes of git. git shows the message of an error to its user. */
const GIT_ERRORS: readonly ErrorCode[] = ["badParameter", "notFound", "unsupported"];

function endpointsAt(base: string, kind: string, of: string): readonly Endpoint[] {
  const fields = ["Expires", "Pragma"];
  const refused: Partial<Endpoint> = { errors: [...GIT_ERRORS, "forbidden"] };
  const withoutPush = `Refuses a push ${of}.`;
  return [
    route("4.12", `GET ${base}/info/refs`, `list${kind}Refs`, `References ${of}, in git's protocol.`, {
      200: refs,
    }, {
      ...refused,
      query: RefsQuery,
      fields,
    }),
    route(
      "4.12",
      `GET ${base}/HEAD`,
      `show${kind}Head`,
      `Branch to which \`HEAD\` points ${of}.`,
      { 200: text },
      { errors: GIT_ERRORS },
    ),
    route(
      "4.12",
      `POST ${base}/git-upload-pack`,
      `send${kind}Pack`,
      `Pack of objects ${of}, in git's protocol.`,
      { 200: pack },
      {
        content: request,
        errors: [...GIT_ERRORS, "badRequest", "payloadTooLarge", "unsupportedMediaType"],
        fields,
      },
    ),
    route("4.12", `GET ${base}/git-receive-pack`, `refuse${kind}Push`, withoutPush, {}, refused),
    route("4.12", `POST ${base}/git-receive-pack`, `refuse${kind}PushPack`, withoutPush, {}, refused),
  ];
}

export const gitEndpoints: readonly Endpoint[] = [
  ...endpointsAt("/:name", "Git", "of a repository"),
  ...endpointsAt("/:name/:nid", "Peer", "of one node's namespace"),
];
