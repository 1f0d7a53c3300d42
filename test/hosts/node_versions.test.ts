/** Releases of Node.js: the oldest of `engines` works, and an older one says in one line what is needed. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { REQUIRED_NODE } from "../../adapters/node/required_version.ts";
import { CONSUMER, expectedLines, homeProgram, makeFolder, mustRun, run } from "./consumer.ts";

const packageFile = join(CONSUMER, "node_modules/xylem-http/package.json");
const command = join(CONSUMER, "node_modules/xylem-http/dist/adapters/cli/main.js");

/** A release of Node.js that `package.json` of this folder names. */
const node = (release: string): string =>
  join(CONSUMER, `node_modules/node-${release}-${process.platform}-${process.arch}/bin/node`);

let program: string;
let expected: string[];
before(async () => {
  program = join(makeFolder("node_versions", { "in.mjs": homeProgram("node") }), "in.mjs");
  expected = await expectedLines();
});

describe("the built package", () => {
  it("declares the oldest release that it runs on", () => {
    const { engines } = JSON.parse(readFileSync(packageFile, "utf8"));
    assert.equal(engines.node, `>=${REQUIRED_NODE.join(".")}`);
  });

  for (const release of ["22.13", "24"]) {
    it(`runs on Node.js ${release}`, async () => {
      assert.deepEqual((await mustRun(node(release), [program])).trim().split("\n"), expected);
      assert.match(await mustRun(node(release), [command, "--version"]), /^\d+\.\d+\.\d+\n$/);
    });
  }

  for (const release of ["20", "22.12"]) {
    it(`says on Node.js ${release} which release it needs`, async () => {
      const told = /xylem-http needs Node\.js 22\.13 or newer; this is [\d.]+$/;
      const { status, stdout, stderr } = await run(node(release), [command, "--demo"]);
      assert.deepEqual([status, stdout], [1, ""]);
      assert.match(stderr, /^xylem: .*\n$/);
      assert.match(stderr.trim(), told);
      const embedded = await run(node(release), [program]);
      assert.equal(embedded.status, 1);
      assert.match(embedded.stderr.split("\n").find((line) => line.startsWith("Error: ")) ?? "", told);
    });
  }
});
