/**
 * The interface specification as a table: each of its statements, with a request and what the answer has to be. The
 * statements are in the files beside this one, by sections; where a statement is not kept on purpose,
 * docs/deviations.md lists it, and its row says what is answered.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { issueStatements } from "./issue_statements.ts";
import { nodeStatements } from "./node_statements.ts";
import { patchStatements } from "./patch_statements.ts";
import { projectStatements } from "./project_statements.ts";
import { resourceStatements } from "./resource_statements.ts";
import { ruleStatements } from "./rule_statements.ts";
import { serviceStatements } from "./service_statements.ts";
import type { Checked, Statement } from "./statement.ts";
import { stateStatements } from "./state_statements.ts";
import { type Running, startGarden } from "./world.ts";

const TABLE: readonly Statement[] = [
  ...serviceStatements,
  ...resourceStatements,
  ...stateStatements,
  ...projectStatements,
  ...issueStatements,
  ...patchStatements,
  ...nodeStatements,
  ...ruleStatements,
];
const CHECKED = TABLE.filter((one): one is Checked => !("open" in one));

/** Whether a row changes nothing, so that it shares the service with others. */
const isRead = ({ request, setup, isAlone = false }: Checked) =>
  request.startsWith("GET ") && setup === undefined && !isAlone;

describe("the specification", () => {
  let shared: Running;
  before(async () => shared = await startGarden());

  it("has 276 statements, of which 256 can be checked", () => {
    const ids = TABLE.map(({ id }) => id);
    assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), []);
    assert.deepEqual([ids.length, CHECKED.length], [276, 256]);
  });

  for (const one of CHECKED) {
    it(`${one.id}: ${one.says}`, async () => {
      const running = isRead(one) ? shared : await startGarden(one.setup);
      await one.expect(await running.ask(one.request, one), running);
    });
  }
});
