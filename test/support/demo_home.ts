/** Demo homes of tests. */
import { cpSync, existsSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { makeDemoHome } from "../../adapters/cli/demo/home.ts";
import { removeFolder } from "./programs.ts";

/**
 * Puts a demo home into a new folder. It is made once per test run and then copied, because making it takes
 * more than a second.
 */
export async function copyDemoHome(home: string): Promise<void> {
  const shared = process.env["XYLEM_TEST_FOLDER"];
  const made = shared === undefined ? undefined : join(shared, "demo-home");
  if (made === undefined || !existsSync(made)) {
    const draft = mkdtempSync(`${made ?? home}-`);
    await makeDemoHome(draft);
    try {
      renameSync(draft, made ?? home);
    } catch {
      // Another process made one in the meantime.
      removeFolder(draft);
    }
  }
  if (made !== undefined) cpSync(made, home, { recursive: true });
}
