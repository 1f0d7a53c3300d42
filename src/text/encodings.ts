/**
 * Decodes texts in encodings that `TextDecoder` may not know. Commits declare encodings with their names in
 * iconv.
 */
import type { Steps } from "../scheduling/task.ts";
import { DECODED_AT_ONCE_BYTES, decodeInSteps } from "./utf8.ts";

/** Characters for the bytes from 128 in one-byte encodings that `TextDecoder` does not support. */
const UPPER_HALVES: Readonly<Record<string, string>> = {
  "iso-8859-1": String.fromCharCode(...Array.from({ length: 128 }, (_, i) => 128 + i)),
  ibm437: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ" +
    "áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
    "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ibm850: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ" +
    "áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐" +
    "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀" +
    "ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
};

/** Encodings by code page number. In names, the number stands alone or after the letters of a vendor. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  437: "ibm437",
  819: "iso-8859-1",
  850: "ibm850",
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  65001: "utf-8",
  ...Object.fromEntries(
    [1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((n) => [n, `windows-${n}`]),
  ),
};

/** Parts of ISO 8859 that are named "Latin 1", "Latin 2" and so on, in this order. */
const LATIN_PARTS = [1, 2, 3, 4, 9, 10, 13, 14, 15, 16];

/** Encodings by their names without punctuation. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...named("euc-jp", "eucjp", "ujis", "eucjpms", "eucjpopen", "eucjpwin"),
  ...named("shift_jis", "sjis", "shiftjis", "mskanji", "sjisopen", "sjiswin", "windows31j"),
  ...named("iso-2022-jp", "iso2022jp", "csiso2022jp", "iso2022jp1", "iso2022jp2", "iso2022jp3"),
  ...named("euc-kr", "euckr", "uhc", "ksc5601", "ksc56011987"),
  ...named("gbk", "gbk", "euccn", "gb2312", "eucgb2312cn"),
  ...named("gb18030", "gb18030"),
  ...named("big5", "big5", "bigfive", "cnbig5", "big5hkscs"),
  ...named("koi8-r", "koi8", "koi8r"),
  ...named("koi8-u", "koi8u"),
  ...named("windows-874", "tis620"),
  ...named("macintosh", "mac", "macintosh"),
  // Texts that are declared as US-ASCII may contain other bytes, so they are decoded as UTF-8.
  ...named("utf-8", "utf8", "ascii", "usascii", "ansix341968"),
]);

function named(encoding: string, ...names: readonly string[]): readonly (readonly [string, string])[] {
  return names.map((name) => [name, encoding]);
}

/** Maximum length of a name that is looked up, in characters. Longer names are unknown. */
const MAX_NAME_LENGTH = 40;
const CODE_PAGE = /^(?:cp|ibm|ms|mscp|win|windows|xcp)?(\d{3,5})$/;
const ISO_8859 = /^(?:iso)?8859(1[013-6]|[1-9])$/;
const LATIN = /^(?:latin|l)(10|[1-9])$/;

/** Returns the name of an encoding for `TextDecoder`, or its name in {@link UPPER_HALVES}. */
function webNameOf(name: string): string {
  const key = name.toLowerCase().replace(/:\d{4}$/, "").replace(/[^a-z0-9]/g, "");
  const [, codePage = ""] = CODE_PAGE.exec(key) ?? [];
  const [, latin] = LATIN.exec(key) ?? [];
  const part = latin === undefined ? ISO_8859.exec(key)?.[1] : LATIN_PARTS[Number(latin) - 1];
  return CODE_PAGES[codePage] ?? (part === undefined ? NAMES.get(key) ?? name : `iso-8859-${part}`);
}

/** Decodes bytes from an encoding; `undefined` for an unknown encoding. Malformed bytes become U+FFFD. */
export function* decodeFromInSteps(bytes: Uint8Array, encoding: string): Steps<string | undefined> {
  if (encoding.length > MAX_NAME_LENGTH) return undefined;
  const name = webNameOf(encoding);
  if (Object.hasOwn(UPPER_HALVES, name)) return yield* decodeHalves(bytes, UPPER_HALVES[name]!);
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(name);
  } catch {
    return undefined;
  }
  return yield* decodeInSteps(bytes, decoder);
}

/** Decodes an encoding of one byte per character whose bytes below 128 are US-ASCII. */
function* decodeHalves(bytes: Uint8Array, upperHalf: string): Steps<string> {
  let text = "";
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    text += byte < 128 ? String.fromCharCode(byte) : upperHalf[byte - 128];
    if (at % DECODED_AT_ONCE_BYTES === DECODED_AT_ONCE_BYTES - 1) yield undefined;
  }
  return text;
}
