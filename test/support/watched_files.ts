/** Files that can be watched, and made to fail, call by call. */
import type { NewFile, WritableFileSystem } from "../../src/ports/file_system.ts";

/** A call that writes, and the paths that it was made with. */
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

/** The given files, of which `watch` hears before each call that writes; what it throws is the outcome of the call. */
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
