/** Archives of recorded homes, against those that were recorded of today's service. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { unpackTar } from "modern-tar";
import type { HomeApi } from "../../adapters/home/home.ts";
import { adapter } from "../adapters/this_runtime.ts";
import { GitRepository } from "../support/git.ts";
import { readLines } from "../replay/recordings.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";

/** A recorded archive: entries of name, mode, size and, in tar, type. */
interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly entries?: readonly (readonly (string | number)[])[];
  readonly paxComment?: string | null;
  readonly zipComment?: string;
}

/** Paths of archives. */
const ARCHIVE = /^\/raw\/[^/]+\/(?:archive\/|[^/]+$)/;

/** Reads an archive as the recordings tell it. */
async function entriesOf(bytes: Uint8Array<ArrayBuffer>, type: string) {
  return type === "application/zip"
    ? { entries: zipEntries(bytes), paxComment: undefined, zipComment: zipComment(bytes) }
    : { ...await tarEntries(type === "application/gzip" ? gunzipSync(bytes) : bytes), zipComment: undefined };
}

async function tarEntries(bytes: Uint8Array) {
  assert.equal(bytes.length % 10_240, 0);
  const types: Record<string, string> = { file: "0", symlink: "2", directory: "5" };
  const unpacked = await unpackTar(new Uint8Array(bytes), { strict: true });
  const comment = /comment=(.*)\n/.exec(new TextDecoder().decode(bytes.subarray(512, 1024)))?.[1];
  return {
    entries: unpacked.map((
      { header: { name, mode, size, type = "file" } },
    ) => [name, mode, size, types[type]]),
    paxComment: comment,
  };
}

/** Names, Unix modes and sizes of the central directory. */
function zipEntries(bytes: Uint8Array<ArrayBuffer>) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const end = endOf(bytes);
  const entries: [string, number, number][] = [];
  for (let at = view.getUint32(end + 16, true); at < end;) {
    const [nameLength, extraLength] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    entries.push([name, view.getUint32(at + 38, true) >>> 16, view.getUint32(at + 24, true)]);
    at += 46 + nameLength + extraLength + view.getUint16(at + 32, true);
  }
  assert.deepEqual(Object.keys(unzipSync(bytes)).sort(), entries.map(([name]) => name).sort());
  return entries;
}

/** Position of the record at the end of a zip archive. */
function endOf(bytes: Uint8Array): number {
  let at = bytes.length - 22;
  while (bytes[at] !== 0x50 || bytes[at + 1] !== 0x4b || bytes[at + 2] !== 5) at--;
  return at;
}

function zipComment(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(endOf(bytes) + 22));
}

/** The name of the file to save. */
function fileOf({ headers }: Response): string | undefined {
  const disposition = headers.get("content-disposition") ?? "";
  const whole = /filename\*=UTF-8''(.*)$/.exec(disposition)?.[1];
  return whole === undefined ? /filename="(.*)"$/.exec(disposition)?.[1] : decodeURIComponent(whole);
}

/** The same of a recorded answer, which has it as bytes of UTF-8. */
function recordedFile(headers: Recorded["responseHeaders"]): string | undefined {
  const file = /filename="(.*)"$/.exec(headers["content-disposition"] ?? "")?.[1];
  return file && new TextDecoder().decode(Uint8Array.from(file, (character) => character.charCodeAt(0)));
}

for (
  const [archive, recording] of [
    ["today/today-browse.tar.gz", "today/x-browse-raw"],
    ["today/today-collab.tar.gz", "today/x-collab"],
  ] as const
) {
  describe(`archives of ${archive}`, () => {
    const folder = temporaryFolder("archives");
    let home: HomeApi;
    before(async () => home = await adapter.createHomeApi({ home: unpackHome(archive, folder) }));
    after(async () => {
      await home?.close();
      removeFolder(folder);
    });

    it("have the recorded entries", async () => {
      const lines = readLines(recording) as Recorded[];
      const recorded = lines.filter(({ path, entries }) => entries !== undefined && ARCHIVE.test(path));
      assert.ok(recorded.length > 20);
      for (const { path, responseHeaders, entries, paxComment, zipComment } of recorded) {
        const response = await home.api.fetch(new Request(`http://localhost${path}`));
        const type = responseHeaders["content-type"]!;
        assert.equal(response.status, 200, path);
        assert.equal(response.headers.get("content-type"), type);
        assert.equal(fileOf(response), recordedFile(responseHeaders));
        const found = await entriesOf(new Uint8Array(await response.arrayBuffer()), type);
        assert.deepEqual(found, { entries, paxComment: paxComment ?? undefined, zipComment }, path);
      }
    });

    it("have the content that git archive gives", async () => {
      const lines = readLines(recording) as Recorded[];
      const { path } = lines.find(({ path, status }) =>
        /\/archive\/HEAD\.tar$/.test(path) && status === 200
      )!;
      const [, rid = ""] = /^\/raw\/rad:(\w+)\//.exec(path) ?? [];
      const ours = await home.api.fetch(new Request(`http://localhost${path}`));
      const git = new GitRepository(join(home.home, "storage", rid));
      const [, title = ""] = /filename="(.*)\.tar"/.exec(ours.headers.get("content-disposition")!) ?? [];
      const theirs = git.run(["archive", "--format=tar", `--prefix=${title}/`, "HEAD"]);
      const content = async (bytes: Uint8Array) =>
        (await unpackTar(new Uint8Array(bytes), { strict: true })).map(({ header, data }) => {
          const { name, mtime, linkname, uid, uname } = header;
          return { name, mtime, linkname, uid, uname, data: data && [...data] };
        });
      assert.deepEqual(await content(new Uint8Array(await ours.arrayBuffer())), await content(theirs));
    });

    it("are told of without being made", async () => {
      const lines = readLines(recording) as Recorded[];
      for (
        const { method, path, status, responseHeaders } of lines.filter(({ method }) => method === "HEAD")
      ) {
        if (!ARCHIVE.test(path) || status !== 200) continue;
        const response = await home.api.fetch(new Request(`http://localhost${path}`, { method }));
        assert.equal(response.status, 200, path);
        assert.equal(fileOf(response), recordedFile(responseHeaders));
        assert.equal(response.body, null);
      }
    });
  });
}
