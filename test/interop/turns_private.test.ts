/** `rad` turns a repository private while strangers read, clone and download it. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ALL_WANTED } from "../support/cases.ts";
import {
  type Generation,
  GENERATIONS,
  removeFolder,
  type Runtime,
  RUNTIMES,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { createWrittenProject } from "./written_project.ts";

/** The runtimes on which `rad` of each generation is tried: its changes are read in the same way on all. */
const SHOWN_BY: Readonly<Record<Generation, readonly Runtime[]>> = ALL_WANTED
  ? { "0.10": RUNTIMES, newest: RUNTIMES }
  : { "0.10": ["node"], newest: ["deno", "bun"] };
/** More than sockets hold. */
const FILES = 8;
const FILE_BYTES = 2 ** 21;

const folder = temporaryFolder("turns-private");
after(() => removeFolder(folder));

/** An archive that has begun, read up to its first piece. */
async function beginArchive(url: string): Promise<{ readonly rest: () => Promise<number> }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, resolve).on("error", reject);
  });
  assert.equal(response.statusCode, 200);
  const pieces: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]();
  let bytes = (await pieces.next()).value.length;
  return {
    async rest() {
      for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) {
        bytes += piece.value.length;
      }
      return bytes;
    },
  };
}

for (const generation of GENERATIONS) {
  describe(`a repository that \`rad\` of ${generation} turns private`, () => {
    const place = join(folder, generation);
    const { rad, rid } = createWrittenProject(generation, place);
    const work = join(place, "work");
    for (let i = 0; i < FILES; i++) writeFileSync(join(work, `${i}.bin`), randomBytes(FILE_BYTES));
    rad.git(work, "add", ".");
    rad.git(work, "commit", "--quiet", "--message", "Large");
    rad.git(work, "push", "--quiet", "rad", "HEAD:refs/heads/main");
    const commit = rad.git(work, "rev-parse", "HEAD").trim();
    const turn = (visibility: string) => {
      const title = ["--title", visibility, "--description", ""];
      rad.rad(work, "id", "update", ...title, "--visibility", visibility, "--no-confirm");
    };

    for (const runtime of SHOWN_BY[generation]) {
      it(`is gone for strangers, and archives of it break off, on ${runtime}`, async () => {
        if (runtime !== SHOWN_BY[generation][0]) turn("public");
        // It is asked as often as it answers, for longer than a share lasts.
        const service = await startService(runtime, rad.home, ["--behind-proxy", "--share", "0"]);
        try {
          const git = `${service.url}/${rid}.git`;
          const paths = [
            ...["projects", "repos"].flatMap((
              list,
            ) => [`/${list}/${rid}`, `/${list}/${rid}/tree/${commit}/`]),
            `/projects/${rid}/commits`,
          ].map((path) => `${service.url}/api/v1${path}`);
          const all = [
            ...paths,
            `${service.url}/raw/${rid}/head/0.bin`,
            `${git}/info/refs?service=git-upload-pack`,
          ];
          const wanted = {
            method: "POST",
            headers: { "content-type": "application/x-git-upload-pack-request" },
            body: `0032want ${commit}\n00000009done\n`,
          };
          const statuses = () =>
            Promise.all(all.map(async (url) => {
              const response = await fetch(url);
              await response.arrayBuffer();
              return response.status;
            }));
          assert.deepEqual(await statuses(), all.map(() => 200));
          const archive = await beginArchive(`${service.url}/raw/${rid}/archive/main.tar`);
          turn("private");
          const hiddenMs = performance.now();
          do {
            assert.deepEqual(await statuses(), all.map(() => 404));
            const pack = await fetch(`${git}/git-upload-pack`, wanted);
            assert.deepEqual([pack.status, await pack.text()], [404, `Repository "${rid}" was not found\n`]);
            const { projects } = await (await fetch(`${service.url}/api/v1/stats`)).json();
            assert.equal(projects.count, 0);
          } while (performance.now() - hiddenMs < 2000);
          await assert.rejects(archive.rest());
        } finally {
          await service.stop();
        }
      });
    }
  });
}
