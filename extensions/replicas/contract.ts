/** Describes the routes of clones from the bucket in the contract. Only replicas have these routes. */
import { type Endpoint, type FileContent, route } from "../../src/contract/mod.ts";
import type { ErrorCode } from "../../src/mod.ts";

const text: FileContent = { kind: "file", mediaTypes: ["text/plain"] };
const file: FileContent = { kind: "file", mediaTypes: ["application/octet-stream"] };
const ERRORS: readonly ErrorCode[] = ["notFound"];

function endpointsAt(base: string, kind: string, of: string): readonly Endpoint[] {
  return [
    route(
      "4.12",
      `GET ${base}/objects/info/packs`,
      `list${kind}PackFiles`,
      `Names of the packs ${of}. Only replicas have this route.`,
      { 200: text },
      { errors: ERRORS },
    ),
    route(
      "4.12",
      `GET ${base}/objects/pack/:file`,
      `send${kind}PackFile`,
      `A pack ${of}, or its index. Only replicas have this route.`,
      { 200: file },
      { parameters: { file: ["`pack-`, 40 hexadecimal digits, and `.pack` or `.idx`."] }, errors: ERRORS },
    ),
  ];
}

export const cloneEndpoints: readonly Endpoint[] = [
  ...endpointsAt("/:name", "Git", "of a repository"),
  ...endpointsAt("/:name/:nid", "Peer", "for a clone of one node's namespace"),
];
