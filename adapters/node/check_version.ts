/** Throws an error if the release of Node.js is too old. This module has to be imported first. */
import { requireNode } from "./required_version.ts";

requireNode();
