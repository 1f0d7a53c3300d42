/** What can be odd about the tree of an entry: its manifest and the files of its actions. */
import type { Oddity, RawFile } from "./raw.ts";

const plain = (text: string): RawFile => ({ mode: "100644", text });
const manifest = (text: string | undefined): Oddity => ({
  files: (files) => void (text === undefined ? files.delete("manifest") : files.set("manifest", plain(text))),
});
const T = `"typeName":"xyz.radicle.issue"`;

/** Odd trees by name. */
export const ODD_FILES: Readonly<Record<string, Oddity>> = {
  // The manifest.
  "manifest.alias": manifest(`{"typename":"xyz.radicle.issue","version":1}`),
  "manifest.both": manifest(`{${T},"typename":"xyz.radicle.issue","version":1}`),
  "manifest.array": manifest(`["xyz.radicle.issue",1]`),
  "manifest.array.one": manifest(`["xyz.radicle.issue"]`),
  "manifest.array.three": manifest(`["xyz.radicle.issue",1,2]`),
  "manifest.twice": manifest(`{${T},${T},"version":1}`),
  "manifest.version.twice": manifest(`{${T},"version":1,"version":1}`),
  "manifest.version.none": manifest(`{${T}}`),
  "manifest.version.null": manifest(`{${T},"version":null}`),
  "manifest.version.float": manifest(`{${T},"version":1.0}`),
  "manifest.version.exponent": manifest(`{${T},"version":1e0}`),
  "manifest.version.text": manifest(`{${T},"version":"1"}`),
  "manifest.version.zero": manifest(`{${T},"version":0}`),
  "manifest.version.two": manifest(`{${T},"version":2}`),
  "manifest.version.large": manifest(`{${T},"version":18446744073709551615}`),
  "manifest.version.larger": manifest(`{${T},"version":18446744073709551616}`),
  "manifest.version.negative": manifest(`{${T},"version":-1}`),
  "manifest.version.minus": manifest(`{${T},"version":-0}`),
  "manifest.more": manifest(`{${T},"version":1,"more":{"a":[1.5,null]},"more":2}`),
  "manifest.type.none": manifest(`{"version":1}`),
  "manifest.type.other": manifest(`{"typeName":"other.type","version":1}`),
  "manifest.type.bad": manifest(`{"typeName":".type","version":1}`),
  "manifest.type.bad.end": manifest(`{"typeName":"xyz.","version":1}`),
  "manifest.type.empty": manifest(`{"typeName":"","version":1}`),
  "manifest.type.dash": manifest(`{"typeName":"xyz.a-b","version":1}`),
  "manifest.type.letters": manifest(`{"typeName":"xyz.é٣","version":1}`),
  "manifest.type.null": manifest(`{"typeName":null,"version":1}`),
  "manifest.blanks": manifest(` {\n ${T} ,\t"version" : 1 }\r\n`),
  "manifest.mark": manifest(`\ufeff{${T},"version":1}`),
  "manifest.rest": manifest(`{${T},"version":1} x`),
  "manifest.surrogate": manifest(`{"typeName":"xyz\\ud800","version":1}`),
  "manifest.escape": manifest(`{"type\\u004eame":"xyz.radicle.issue","version":1}`),
  "manifest.empty": manifest(""),
  "manifest.none": manifest(undefined),
  "manifest.tree": { files: (files) => void files.set("manifest", { mode: "40000", text: "" }) },
  "manifest.link": {
    files: (files) => void files.set("manifest", { ...files.get("manifest")!, mode: "120000" }),
  },
  "manifest.executable": {
    files: (files) => void files.set("manifest", { ...files.get("manifest")!, mode: "100755" }),
  },
  "manifest.group": {
    files: (files) => void files.set("manifest", { ...files.get("manifest")!, mode: "100664" }),
  },
  "manifest.missing": { files: (files) => void files.set("manifest", { mode: "100644", text: undefined }) },

  // The files of actions.
  "file.plus": renamed("0", "+0"),
  "file.zeros": renamed("0", "000"),
  "file.minus": renamed("0", "-1"),
  "file.minus.zero": renamed("0", "-0"),
  "file.last": renamed("0", "127"),
  "file.beyond": renamed("0", "128"),
  "file.first": renamed("0", "-128"),
  "file.before": renamed("0", "-129"),
  "file.blank": renamed("0", " 0"),
  "file.sign": renamed("0", "+"),
  "file.hexadecimal": renamed("0", "0x0"),
  "file.other": { files: (files) => void files.set("README", plain("Hello")) },
  "file.same": { files: (files) => void files.set("00", plain(`{"type":"none"}`)) },
  "file.executable": { files: (files) => void files.set("0", { ...files.get("0")!, mode: "100755" }) },
  "file.link": { files: (files) => void files.set("0", { ...files.get("0")!, mode: "120000" }) },
  "file.submodule": { files: (files) => void files.set("0", { mode: "160000", text: undefined }) },
  "file.submodule.more": { files: (files) => void files.set("1", { mode: "160000", text: undefined }) },
  "file.tree": { files: (files) => void files.set("0", { mode: "40000", text: "" }) },
  "file.tree.more": { files: (files) => void files.set("1", { mode: "40000", text: "" }) },
  "file.missing": { files: (files) => void files.set("0", { mode: "100644", text: undefined }) },
  "file.missing.other": { files: (files) => void files.set("README", { mode: "100644", text: undefined }) },
  "file.empty": { files: (files) => void files.set("0", plain("")) },
  "file.mark": { files: (files) => void files.set("0", plain(`\ufeff${files.get("0")?.text}`)) },
  "file.blanks": { files: (files) => void files.set("0", plain(` \n\t${files.get("0")?.text}\r\n `)) },
  "file.form.feed": { files: (files) => void files.set("0", plain(`\f${files.get("0")?.text}`)) },
  "file.rest": { files: (files) => void files.set("0", plain(`${files.get("0")?.text},`)) },
  "file.many": {
    files: (files) => {
      const file = files.get("0");
      for (let i = 0; file !== undefined && i < 200; i++) files.set(String(i), file);
    },
  },
  "file.large": {
    files: (files) => {
      const text = files.get("0")?.text?.replace(/text/, (word) => word.repeat(2 ** 18));
      if (text !== undefined) files.set("0", plain(text));
    },
  },
  "file.none": { files: (files) => void files.delete("0") },
  "file.bytes": {
    files: (files) => void files.set("0", plain(`${files.get("0")?.text?.replace(/ |$/, "\ue000")}`)),
  },
};

function renamed(from: string, to: string): Oddity {
  return {
    files: (files) => {
      const file = files.get(from);
      if (file === undefined) return;
      files.delete(from);
      files.set(to, file);
    },
  };
}
