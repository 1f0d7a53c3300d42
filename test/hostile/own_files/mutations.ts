/** Ways in which a file comes to be another one than was written. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Random } from "../requests/random.ts";

/** Length of a huge file, without blocks on the disk. */
const HUGE_BYTES = 2 ** 35;
/** Where headers and version numbers are. */
const HEAD_BYTES = 128;

/** Changes the file at a path. `donors` are other files of ours. */
type Mutate = (path: string, random: Random, donors: readonly string[]) => void;

/** All mutations by name. Those at the top come as often as all others together. */
const COMMON: Readonly<Record<string, Mutate>> = {
  "cut short": (path, random) => truncateSync(path, random.below(sizeOf(path))),
  "a flipped bit": (path, random) => flip(path, 1, sizeOf(path), random),
  "some flipped bits": (path, random) => flip(path, 2 + random.below(30), sizeOf(path), random),
  "flipped in the head": (path, random) => flip(path, 1, HEAD_BYTES, random),
  "swapped with another file of ours": (path, random, donors) => {
    rmSync(path);
    copyFileSync(random.one(donors), path);
  },
};
const RARE: Readonly<Record<string, Mutate>> = {
  "overwritten in part": (path, random) => {
    const bytes = readFileSync(path);
    const at = random.below(bytes.length);
    bytes.fill(random.below(256), at, Math.min(bytes.length, at + 1 + random.below(8192)));
    writeFileSync(path, bytes);
  },
  "another version": (path, random) => {
    const bytes = readFileSync(path);
    // The numbers of versions of all formats, in binary and in JSON.
    const at = random.one([8, 9, 10, 11, 60, 63, 68, 71]);
    if (at < bytes.length) bytes[at] = bytes[at]! + 1 & 255;
    writeFileSync(path, bytes.toString("latin1").replace(/"(format|version)":\d/g, '"$1":9'), "latin1");
  },
  "followed by more": (path, random) =>
    appendFileSync(path, new Uint8Array(1 + random.below(10_000)).fill(random.below(256))),
  "of zeros": (path) => writeFileSync(path, new Uint8Array(sizeOf(path))),
  "random bytes": (path, random) =>
    writeFileSync(path, Uint8Array.from({ length: 4000 }, () => random.below(256))),
  "empty": (path) => truncateSync(path, 0),
  "gone": (path) => rmSync(path),
  "huge": (path) => truncateSync(path, HUGE_BYTES),
  "huge and of zeros": (path) => {
    writeFileSync(path, "");
    truncateSync(path, HUGE_BYTES);
  },
  "a folder": (path, random) => {
    rmSync(path);
    mkdirSync(path);
    if (random.isOneIn(2)) writeFileSync(join(path, "file"), "x");
  },
  "a link to another file of ours": (path, random, donors) => link(path, random.one(donors)),
  "a link to nothing": (path) => link(path, "/nonexistent/file"),
  "a link to itself": (path) => link(path, path),
  "a link to an endless device": (path) => link(path, "/dev/zero"),
  "a pipe": (path) => {
    rmSync(path);
    execFileSync("mkfifo", [path]);
  },
};

/** Changes a file in a random way; returns what was done. */
export function mutate(path: string, random: Random, donors: readonly string[]): string {
  const [common, rare] = [Object.entries(COMMON), Object.entries(RARE)];
  const [name, change] = random.one(random.isOneIn(2) ? common : rare);
  if (sizeOf(path) > 0 || change.length === 1) change(path, random, donors);
  return name;
}

function flip(path: string, count: number, below: number, random: Random): void {
  const bytes = readFileSync(path);
  for (let i = 0; i < count; i++) bytes[random.below(Math.min(below, bytes.length))]! ^= 1 << random.below(8);
  writeFileSync(path, bytes);
}

function link(path: string, target: string): void {
  rmSync(path);
  symlinkSync(target, path);
}

function sizeOf(path: string): number {
  return statSync(path).size;
}
