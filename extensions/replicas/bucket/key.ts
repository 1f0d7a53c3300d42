/** Validation of the keys of objects in a bucket, and limits that all buckets share. */
import type { BucketGetOptions, BucketPutOptions, ByteRange } from "./bucket.ts";
import { BucketError } from "./bucket.ts";

/** Maximum length of a key, in characters. S3 allows 1,024 bytes, including the prefix of the bucket. */
export const KEY_LIMIT = 512;

/** Maximum length of a part of a key between slashes, in characters. File systems allow 255 bytes. */
export const KEY_PART_LIMIT = 200;

/** Default maximum size of one read, in bytes. The option `limitBytes` replaces this default. */
export const GET_LIMIT_BYTES = 64 * 1024 * 1024;

/** Key of the object that an S3 bucket uses to test whether the server honours conditional puts. */
export const PROBE_KEY = "xylem-probe";

/**
 * Pattern of one part of a key. A part cannot begin with a dot, which excludes `.`, `..` and hidden files.
 */
const PART = /^[\w-][\w.-]*$/;

/**
 * Checks whether a text is a valid key. A key consists of parts of ASCII letters, digits, `_`, `-` and `.`,
 * with single slashes between the parts. A part does not begin with a dot. A key has the same characters in a
 * URL and in the path of a file.
 */
export function isBucketKey(text: string): boolean {
  return text.length <= KEY_LIMIT &&
    text.split("/").every((part) => part.length <= KEY_PART_LIMIT && PART.test(part));
}

/** Throws `RangeError` for a text that is not a valid key. */
export function checkBucketKey(key: string): void {
  if (!isBucketKey(key)) throw new RangeError(`Cannot use ${JSON.stringify(key)} as a key of a bucket`);
}

/** Throws `RangeError` for a text with which no valid key can begin. The empty text is a valid prefix. */
export function checkKeyPrefix(prefix: string): void {
  if (prefix !== "" && !isBucketKey(`${prefix}0`)) {
    throw new RangeError(`Cannot use ${JSON.stringify(prefix)} as a prefix of keys`);
  }
}

/** Throws `RangeError` for an invalid key or range, or a range that is longer than the limit. */
export function checkGet(key: string, { range, limitBytes = GET_LIMIT_BYTES }: BucketGetOptions): void {
  checkBucketKey(key);
  if (range === undefined) return;
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end <= start) {
    throw new RangeError(`Cannot read the bytes ${start} to ${end}`);
  }
  if (end - start > limitBytes) {
    throw new RangeError(`Cannot read ${end - start} bytes: ${limitBytes} at most`);
  }
}

/** Throws `RangeError` for an invalid key or invalid conditions of a put. */
export function checkPut(key: string, { ifMatch, ifNoneMatch }: BucketPutOptions): void {
  checkBucketKey(key);
  if (ifMatch !== undefined && ifNoneMatch !== undefined) {
    throw new RangeError("Cannot put with two conditions");
  }
  if (ifMatch === "") throw new RangeError("Cannot put by an empty tag");
}

/**
 * Throws `BucketError` (`broken`) for an object that is larger than the limit, or that does not contain the
 * range.
 */
export function checkSize(key: string, size: number, options: BucketGetOptions): void {
  const { range, limitBytes = GET_LIMIT_BYTES } = options;
  if (range === undefined && size > limitBytes) {
    throw new BucketError("broken", `Object "${key}" has ${size} bytes: ${limitBytes} are read at most`);
  }
  if (range !== undefined && range.end > size) throw rangeError(key, range);
}

export function rangeError(key: string, { start, end }: ByteRange): BucketError {
  return new BucketError("broken", `Object "${key}" does not have the bytes ${start} to ${end}`);
}
