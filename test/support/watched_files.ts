/** File systems with observable calls, which can be made to fail. */
import type { NewFile, WritableFileSystem } from "../../src/ports/file_system.ts";

/** A call that writes, with its paths. */
export interface WritingCall {
  readonly call:
    | "create"
    | "write"
    | "sync"
    | "makeDirectory"
    | "rename"
    | "link"
    | "renameToFree"
    | "remove"
    | "touch"
    | "syncDirectory";
  readonly path: string;
  readonly newPath?: string;
}

/**
 * Wraps a file system: `watch` is called before each call that writes; an error from it is the result of the
 * call.
 */
export function watchFiles(
  files: WritableFileSystem,
  watch: (call: WritingCall) => void,
): WritableFileSystem {
  const watchFile = (file: NewFile, path: string): NewFile => ({
    write(bytes) {
      watch({ call: "write", path });
      file.write(bytes);
    },
    async sync() {
      watch({ call: "sync", path });
      await file.sync();
    },
    close: () => file.close(),
  });
  return {
    ...files,
    create(path, mode) {
      watch({ call: "create", path });
      const file = files.create(path, mode);
      return typeof file === "object" ? watchFile(file, path) : file;
    },
    makeDirectory(path) {
      watch({ call: "makeDirectory", path });
      return files.makeDirectory(path);
    },
    rename(path, newPath) {
      watch({ call: "rename", path, newPath });
      return files.rename(path, newPath);
    },
    link(path, newPath) {
      watch({ call: "link", path, newPath });
      return files.link(path, newPath);
    },
    renameToFree(path, newPath) {
      watch({ call: "renameToFree", path, newPath });
      return files.renameToFree(path, newPath);
    },
    remove(path) {
      watch({ call: "remove", path });
      return files.remove(path);
    },
    touch(path) {
      watch({ call: "touch", path });
      return files.touch(path);
    },
    async syncDirectory(path) {
      watch({ call: "syncDirectory", path });
      await files.syncDirectory(path);
    },
  };
}
