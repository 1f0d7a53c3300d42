/** Takes the picture of the page for the README, `docs/page.webp`, from a demo home in Chromium. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDemoHome } from "../../adapters/cli/demo/home.ts";
import { inRepository } from "../../extensions/page/browser/places.ts";
import { removeFolder, ROOT, startService, temporaryFolder } from "../support/programs.ts";
import { startBrowser } from "./browser_process.ts";
import { waitFor } from "./page_steps.ts";

const folder = temporaryFolder("pictures");
const home = join(folder, "home");
mkdirSync(home);
await makeDemoHome(home);
const service = await startService("node", home);
const browser = startBrowser([]);
try {
  const ask = async (path: string) => await (await fetch(`${service.url}/api/v1${path}`)).json();
  const named = (wanted: string) => ({ name }: { readonly name: string }) => name === wanted;
  const { id: rid } = (await ask("/projects?show=all")).find(named("xylem-demo"));
  const page = await browser.open(`${service.url}/${inRepository(rid)}`);
  await page.emulate({ width: 1100, height: 760, scheme: "light" });
  await page.run(waitFor, ".markdown .t-string", "");
  await page.run(waitFor, ".markdown img[src]", "");
  await page.run(waitFor, ".about", "commits");
  writeFileSync(join(ROOT, "docs/page.webp"), await page.picture());
} finally {
  await browser.stop();
  await service.stop();
  removeFolder(folder);
}
