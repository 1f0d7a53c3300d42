/** Types that openapi-typescript makes of the contract compile strictly, in both releases of TypeScript. */
import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openApiDocument } from "../../build/contract/document.ts";
import { ROOT } from "../support/programs.ts";
import { CONSUMER, makeFolder, mustRun, run, RUNTIMES } from "./consumer.ts";

/** Uses an operation of each dialect. */
const PROGRAM = `
import type { operations, paths } from "./contract.ts";
export type Issue = paths["/api/v1/projects/{project}/issues/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
export const titleOf = ({ title }: Issue): string => title;
export const path: operations["showRepoTree"]["parameters"]["path"] = { rid: "rad:z", sha: "main", path: "" };
`;

describe("openapi-typescript", () => {
  it("makes types of the contract that compile strictly", async () => {
    const document = openApiDocument({
      version: "0.1.0",
      basePath: "",
      signIn: "key",
      dialect: "both",
      page: true,
    });
    const folder = makeFolder("contract_types", {
      "openapi.json": JSON.stringify(document),
      "program.ts": PROGRAM,
      "package.json": `{ "type": "module" }`,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          module: "nodenext",
          target: "es2022",
          allowImportingTsExtensions: true,
          types: [],
        },
        files: ["program.ts"],
      }),
    });
    const script = join(realpathSync(join(CONSUMER, "node_modules/openapi-typescript")), "bin/cli.js");
    await mustRun(RUNTIMES.node, [
      script,
      join(folder, "openapi.json"),
      "--output",
      join(folder, "contract.ts"),
    ]);
    for (const modules of [CONSUMER, ROOT].map((at) => join(at, "node_modules/typescript"))) {
      const { version } = JSON.parse(readFileSync(join(modules, "package.json"), "utf8"));
      const compiler = realpathSync(join(modules, "bin/tsc"));
      const { stdout, status } = await run(RUNTIMES.node, [compiler, "-p", folder]);
      assert.deepEqual([stdout, status], ["", 0], version);
    }
  });
});
