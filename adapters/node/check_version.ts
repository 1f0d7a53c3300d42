/** Throws an error if the release of Node.js is too old. Import this module first. */
import { requireNode } from "./required_version.ts";

requireNode();
