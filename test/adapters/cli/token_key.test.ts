/** The key of consistency tokens: from a variable, or from a file that is made. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, describe, it } from "node:test";
import { readTokenKey } from "../../../adapters/cli/token_key.ts";
import { MIN_TOKEN_KEY_LENGTH } from "../../../extensions/replicas/origin/token_key.ts";
import { removeFolder, temporaryFolder } from "../../support/programs.ts";

const VARIABLES = ["XYLEM_TOKEN_KEY", "XYLEM_TOKEN_KEY_FILE"] as const;

const folder = temporaryFolder("token-key");
after(() => removeFolder(folder));
afterEach(() => {
  for (const name of VARIABLES) delete process.env[name];
});

/** The key with these variables; an empty one counts as none. */
function keyWith(key: string, file: string): string | undefined {
  [process.env["XYLEM_TOKEN_KEY"], process.env["XYLEM_TOKEN_KEY_FILE"]] = [key, file];
  return readTokenKey();
}

describe("the key of consistency tokens", () => {
  it("is made at the first start, for its user alone, and read from then on", () => {
    const place = join(folder, "made");
    mkdirSync(place);
    const [one, other] = [join(place, "one"), join(place, "other")];
    const key = keyWith("", one)!;
    assert.match(key, /^[A-Za-z0-9]+$/);
    assert.ok(key.length >= MIN_TOKEN_KEY_LENGTH);
    assert.equal(statSync(one).mode & 0o777, 0o600);
    assert.equal(keyWith("", one), key);
    assert.notEqual(keyWith("", other), key);
    assert.deepEqual(readdirSync(place).sort(), ["one", "other"]);
  });

  it("is the text of a file without the end of its line, or the variable, which comes first", () => {
    const path = join(folder, "given");
    writeFileSync(path, "the key of a file\r\n");
    assert.equal(keyWith("", path), "the key of a file");
    assert.equal(keyWith("the key of a variable", path), "the key of a variable");
    assert.equal(keyWith("", ""), undefined);
    assert.equal(readFileSync(path, "utf8"), "the key of a file\r\n");
  });

  it("is never left out because a file is wrong", () => {
    const empty = join(folder, "empty");
    writeFileSync(empty, "\n");
    for (const path of [empty, folder, join(folder, "none", "key")]) {
      assert.throws(() => keyWith("", path), {
        message: `Cannot use ${path} as the key of consistency tokens`,
      });
    }
  });
});
