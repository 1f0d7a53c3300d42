/** The browser and the temporary folder of the tests of the page. */
import { after, before } from "node:test";
import { removeFolder, temporaryFolder } from "../support/programs.ts";
import { type Browser, type Page, startBrowser } from "./browser_process.ts";

/** A browser and a folder. */
export interface PageTests {
  readonly folder: string;
  /** Opens an address in a tab of its own. */
  readonly open: (url: string) => Promise<Page>;
}

/** Starts a browser before the tests of a file, and removes it and the folder after them. */
export function startPageTests(name: string, hosts: readonly string[] = []): PageTests {
  const folder = temporaryFolder(name);
  let browser: Browser | undefined;
  before(() => {
    browser = startBrowser(hosts);
  });
  after(async () => {
    await browser?.stop();
    removeFolder(folder);
  });
  return { folder, open: (url) => browser!.open(url) };
}
