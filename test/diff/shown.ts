/** Contents of files as clients see them, with their hunks. */
import type { FileContent as WithoutHunks } from "../../src/diff/diff_object.ts";
import type { LineContent } from "../../src/diff/text/hunks.ts";
import { JsonBytes } from "../../src/diff_service/render/json_bytes.ts";
import { writeHunks } from "../../src/diff_service/render/json_hunks.ts";
import type { FileContent } from "./diff_object.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The content of a file, with the hunks that are written of it. */
export function shownContent(content: LineContent | WithoutHunks): FileContent {
  if (!("texts" in content)) return content;
  const json = new JsonBytes();
  writeHunks(json, content, Infinity);
  const { stats, eof } = content;
  return { type: "plain", hunks: JSON.parse(`[${decoder.decode(json.toBytes())}]`), stats, eof };
}
