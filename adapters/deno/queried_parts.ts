/**
 * Functions for a Radicle home that query Deno's permissions before each use. Without the query, Deno would
 * show a prompt and wait for a user, even in the middle of a request.
 */
import type { CobCache } from "../../mod.ts";
import type { FileWriting } from "../../src/ports/file_system.ts";
import { DatabaseError, type NodeDatabase } from "../../src/ports/node_database.ts";
import { type AskNode, NodeSocketError, type SubscribeToNode } from "../../src/ports/node_socket.ts";
import { WriteError } from "../../src/ports/write_error.ts";
import { createCobCache as createNodeCobCache } from "../node/cob_cache.ts";
import { createNodeDatabase as createNodeNodeDatabase } from "../node/node_databases.ts";
import {
  createAskNode as createNodeAskNode,
  createSubscribeToNode as createNodeSubscribe,
} from "../node/radicle_node.ts";
import { loadSigner as loadNodeSigner } from "../node/signer.ts";
import { isGranted, mayConnect, mayRead, mayUse, mayWrite } from "./permission.ts";

/** Wraps functions that write files. Without permission, the wrapped functions fail without a prompt. */
export function queriedWriting(files: FileWriting): FileWriting {
  const check = (...paths: readonly string[]) => {
    const refused = paths.find((path) => !mayWrite(path));
    if (refused !== undefined) throw new WriteError("denied", `No permission to write ${refused}`);
  };
  return {
    create: (path, mode) => (check(path), files.create(path, mode)),
    makeDirectory: (path) => (check(path), files.makeDirectory(path)),
    rename: (path, newPath) => (check(path, newPath), files.rename(path, newPath)),
    link: (path, newPath) => mayRead(path) && mayWrite(newPath) ? files.link(path, newPath) : "refused",
    renameToFree: (path, newPath) => (check(path, newPath), files.renameToFree(path, newPath)),
    remove: (path) => (check(path), files.remove(path)),
    touch: (path) => mayWrite(path) && files.touch(path),
    syncDirectory: (path) => mayRead(path) ? files.syncDirectory(path) : Promise.resolve(),
    withFileLock: (path, kind, action) => mayUse(path) ? files.withFileLock(path, kind, action) : undefined,
  };
}

/**
 * Opens the database at a path. Without permission to read and write everything, SQLite gets a path instead
 * of a URL, because Deno would treat the URL as a path.
 */
export function createNodeDatabase(path: string): NodeDatabase {
  const database = createNodeNodeDatabase(
    path,
    () => isGranted({ name: "read" }) && isGranted({ name: "write" }),
  );
  const refusal = () => new DatabaseError("denied", `No permission to read and write ${path}`);
  return {
    read: (query) => mayRead(path) ? database.read(query) : Promise.reject(refusal()),
    write: (statements) => mayUse(path) ? database.write(statements) : Promise.reject(refusal()),
  };
}

/**
 * Opens the database of issues and patches. Without permission, the database counts as absent, and is not
 * changed.
 */
export function createCobCache(path: string): CobCache {
  const cache = createNodeCobCache(path);
  return {
    read: (object) => mayUse(path) ? cache.read(object) : Promise.resolve(undefined),
    replace: (object, before, text) =>
      mayUse(path) ? cache.replace(object, before, text) : Promise.resolve(false),
    findBehind: (rid, type, entries) =>
      mayUse(path) ? cache.findBehind(rid, type, entries) : Promise.resolve([]),
  };
}

export const createAskNode = (path: string): AskNode => ifConnectable(path, createNodeAskNode(path));

export const createSubscribeToNode = (path: string): SubscribeToNode =>
  ifConnectable(path, createNodeSubscribe(path));

/**
 * Wraps a function that uses the socket of a node. Without permission to connect to the socket, the calls
 * fail.
 */
function ifConnectable<Request extends unknown[], Answer>(
  path: string,
  send: (...request: Request) => Promise<Answer>,
): (...request: Request) => Promise<Answer> {
  return (...request) =>
    mayConnect(path)
      ? send(...request)
      : Promise.reject(new NodeSocketError("denied", `No permission to connect to ${path}`));
}

/**
 * Loads the signer of a home. Without permission to connect to the ssh-agent, the ssh-agent counts as absent.
 */
export const loadSigner: typeof loadNodeSigner = ({ agentSocket, fileSystem, ...options }) =>
  loadNodeSigner({
    ...options,
    fileSystem: {
      open(path) {
        if (!mayRead(path)) throw new Error(`Deno needs --allow-read=${path}`);
        return fileSystem.open(path);
      },
    },
    agentSocket: agentSocket && mayConnect(agentSocket) ? agentSocket : undefined,
  });
