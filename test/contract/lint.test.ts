/** A linter with its recommended rules finds no fault with the document of any service. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { openApiDocument } from "../../build/contract/document.ts";
import { removeFolder, ROOT, temporaryFolder } from "../support/programs.ts";

/** Warnings that are expected, by rule, each with its reason. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  // The document says which one is meant: no repository has the name `page` or `raw`.
  "no-ambiguous-paths": /`\/(?:page|raw)\//,
  // There are no pushes.
  "operation-2xx-response": /2XX/,
  // An operation with neither parameters nor a body has no request to refuse.
  "operation-4xx-response": /4XX/,
};

const folder = temporaryFolder("contract-lint");
after(() => removeFolder(folder));

const SERVICES = [
  { dialect: "both", signIn: "key", page: true },
  { dialect: "v1", signIn: "wallet", page: true },
  { dialect: "today", signIn: "key", page: false },
] as const;

describe("the document", () => {
  for (const service of SERVICES) {
    const { dialect, signIn } = service;
    it(`has no fault by the recommended rules of Redocly, with --api ${dialect} --sign-in ${signIn}`, () => {
      const file = join(folder, `${dialect}.json`);
      writeFileSync(
        file,
        JSON.stringify(openApiDocument({ version: "0.1.0", basePath: "/radicle", ...service })),
      );
      const script = join(ROOT, "node_modules/@redocly/cli/bin/cli.js");
      const args = [script, "lint", "--extends=recommended", "--format=json", file];
      const { stdout, status, stderr } = spawnSync(process.execPath, args, {
        cwd: folder,
        encoding: "utf8",
        // It would ask for news, and tell of itself.
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      });
      assert.equal(status, 0, stderr + stdout.slice(0, 2000));
      const { totals, problems } = JSON.parse(stdout) as {
        readonly totals: { readonly errors: number };
        readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
      };
      assert.equal(totals.errors, 0);
      for (const { ruleId, message } of problems) {
        assert.match(message, EXPECTED[ruleId] ?? assert.fail(`${ruleId}: ${message}`));
      }
    });
  }
});
