/** What may be odd about the JSON of an action. */
import type { Random } from "../../cob/random.ts";

/** Oddities by name; each changes the text, or leaves it when it does not apply. */
export const ODD_JSON: Readonly<Record<string, (text: string, random: Random) => string>> = {
  "member twice": (text, random) => {
    const members = membersOf(text);
    return members.length === 0 ? text : text.replace(/^\{/, `{${random.pick(members)},`);
  },
  "type twice": (text) => text.replace(/"type":"[^"]*"/, "$&,$&"),
  "type last": (text) => text.replace(/^\{("type":"[^"]*"),(.*)\}$/s, "{$2,$1}"),
  "type escaped": (text) => text.replace('"type"', '"\\u0074ype"'),
  "type null": (text) => text.replace(/"type":"[^"]*"/, '"type":null'),
  "type number": (text) => text.replace(/"type":"[^"]*"/, '"type":1'),
  "type upper": (text) =>
    text.replace(/"type":"./, (start) => start.slice(0, -1) + start.slice(-1).toUpperCase()),
  "type unknown": (text) => text.replace(/"type":"[^"]*"/, '"type":"unknown"'),
  "type none": (text) => text.replace(/"type":"[^"]*",?/, ""),
  array: (text) => {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(Object.values(value as object));
  },
  "array short": (text) => JSON.stringify(Object.values(JSON.parse(text) as object).slice(0, -1)),
  "array long": (text) => JSON.stringify([...Object.values(JSON.parse(text) as object), null]),
  "array of array": (text) => `[${text}]`,
  "nested array": (text, random) => {
    const nested = [...text.matchAll(/(?<=[:[])\{[^{}[\]]*\}/g)];
    if (nested.length === 0) return text;
    const [object] = random.pick(nested);
    return text.replace(object, JSON.stringify(Object.values(JSON.parse(object) as object)));
  },
  "nested twice": (text, random) =>
    inNested(text, random, (object) => object.replace(/^\{(.*?)([,}])/s, "{$1,$1$2")),
  "nested more": (text, random) => inNested(text, random, (object) => object.replace(/\}$/, ',"more":1}')),
  "more members": (text) => text.replace(/\}$/, ',"more":{"a":[1.5,null]}}'),
  "more members twice": (text) => text.replace(/\}$/, ',"more":1,"more":2}'),
  "more huge": (text) => text.replace(/\}$/, ',"more":1e999}'),
  "more surrogate": (text) => text.replace(/\}$/, ',"more":"\\ud800"}'),
  "more surrogate name": (text) => text.replace(/\}$/, ',"\\ud800":1}'),
  "more bytes": (text) => text.replace(/\}$/, ',"more":"\ue000"}'),
  "more control": (text) => text.replace(/\}$/, ',"more":"\u0001"}'),
  "more deep": (text) => text.replace(/\}$/, `,"more":${"[".repeat(130)}${"]".repeat(130)}}`),
  "more quite deep": (text) => text.replace(/\}$/, `,"more":${"[".repeat(126)}${"]".repeat(126)}}`),
  "more almost deep": (text) => text.replace(/\}$/, `,"more":${"[".repeat(127)}${"]".repeat(127)}}`),
  "number float": (text) => text.replace(/(?<=:)\d+(?=[,}])/, "$&.0"),
  "number exponent": (text) => text.replace(/(?<=:)\d+(?=[,}])/, "$&e0"),
  "number large": (text) => text.replace(/(?<=:)\d+(?=[,}])/, "9007199254740993"),
  "number larger": (text) => text.replace(/(?<=:)\d+(?=[,}])/, "18446744073709551615"),
  "number too large": (text) => text.replace(/(?<=:)\d+(?=[,}])/, "18446744073709551616"),
  "number negative": (text) => text.replace(/(?<=:)\d+(?=[,}])/, "-1"),
  "number minus": (text) => text.replace(/(?<=:)\d+(?=[,}])/, "-0"),
  "number zeros": (text) => text.replace(/(?<=:)\d+(?=[,}])/, "0$&"),
  "number text": (text) => text.replace(/(?<=:)\d+(?=[,}])/, '"$&"'),
  "id short": (text, random) => inId(text, random, (id) => `${id}~39`),
  "id long": (text, random) => inId(text, random, (id) => `${id}0`),
  "id upper": (text, random) => inId(text, random, (id) => `${id}~up`),
  "id empty": (text, random) => inId(text, random, () => ""),
  "id one": (text, random) => inId(text, random, () => "a"),
  "id list": (text, random) =>
    text.replace(new RegExp(`"${anyId(text, random)}"`), '["$&"]'.replace('"$&"', "$&")),
  "null member": (text, random) => {
    const members = membersOf(text).filter((member) => !member.startsWith('"type"'));
    if (members.length === 0) return text;
    const member = random.pick(members);
    return text.replace(member, member.replace(/^("[^"]*"):.*$/s, "$1:null"));
  },
  "member none": (text, random) => {
    const members = membersOf(text).filter((member) => !member.startsWith('"type"'));
    return members.length === 0 ? text : text.replace(`,${random.pick(members)}`, "");
  },
  "member text": (text, random) => {
    const members = membersOf(text).filter((member) => !member.startsWith('"type"'));
    if (members.length === 0) return text;
    const member = random.pick(members);
    return text.replace(member, member.replace(/^("[^"]*"):.*$/s, '$1:"x"'));
  },
  "member upper": (text) => text.replace(/,"(.)/, (start) => `,"${start.slice(2).toUpperCase()}`),
  "enum object": (text) =>
    text.replace(/"(?:delegates|accept|reject|solved|other)"/, (word) => `{${word}:null}`),
  "enum object value": (text) =>
    text.replace(/"(?:delegates|accept|reject|solved|other)"/, (word) => `{${word}:1}`),
  "enum object list": (text) =>
    text.replace(/"(?:delegates|accept|reject|solved|other)"/, (word) => `{${word}:[]}`),
  "enum object two": (text) =>
    text.replace(/"(?:delegates|accept|reject|solved|other)"/, (word) => `{${word}:null,${word}:null}`),
  "state array": (text) => text.replace(/\{"status":"(\w+)"(?:,"reason":"(\w+)")?\}/, '["$1"]'),
  "status twice": (text) => text.replace(/("status":"\w+")/, "$1,$1"),
  blanks: (text) => ` \n${text.replace(/^\{/, "{ \t\r\n").replace(/\}$/, " } ")}\n`,
  "comma last": (text) => text.replace(/\}$/, ",}"),
  "quotes single": (text) => text.replaceAll('"', "'"),
  comment: (text) => `${text}// no`,
  "two values": (text) => `${text}${text}`,
  surrogate: (text) => text.replace("text", "\\ud800"),
  "surrogate pair": (text) => text.replace("text", "\\ud834\\udd1e"),
  "surrogate low": (text) => text.replace("text", "\\udd1e"),
  "escape nul": (text) => text.replace("text", "\\u0000"),
  "escape slash": (text) => text.replace("text", "\\/"),
  "escape other": (text) => text.replace("text", "\\x"),
  "control raw": (text) => text.replace("text", "\u0001"),
  "tab raw": (text) => text.replace("text", "\t"),
  "delete raw": (text) => text.replace("text", "\u007f\u2028"),
  bytes: (text) => text.replace("text", "\ue000"),
  "true upper": (text) => text.replace(/true|false/, "True"),
  "true number": (text) => text.replace(/true|false/, "1"),
  "true text": (text) => text.replace(/true|false/, '"true"'),
  "did other base": (text) => text.replace(/@k(\d)/, "@k$1~hex"),
  "did node": (text) => text.replace(/@k(\d)/, "@n$1"),
  "did blank": (text) => text.replace(/@k(\d)/, " @k$1"),
  "did fragment": (text) => text.replace(/@k(\d)/, "@k$1#x"),
  "string value": (text) => JSON.stringify(text),
  null: () => "null",
  "empty object": () => "{}",
  "empty array": () => "[]",
  empty: () => "",
  cut: (text) => text.slice(0, -1),
};

/** The outer members of an object of JSON as texts; only for texts of `JSON.stringify`. */
function membersOf(text: string): string[] {
  const value: unknown = JSON.parse(text);
  return Object.entries(value as object).map(([name, value]) =>
    `${JSON.stringify(name)}:${JSON.stringify(value)}`
  );
}

function inNested(text: string, random: Random, change: (object: string) => string): string {
  const nested = [...text.matchAll(/(?<=[:[])\{[^{}]+\}/g)];
  if (nested.length === 0) return text;
  const [object] = random.pick(nested);
  return text.replace(object, change(object));
}

function anyId(text: string, random: Random): string {
  const ids = [...text.matchAll(/(?<=")@(?:[ec]\d+|missing|blob|tree)(?=")/g)].map(([id]) => id);
  return ids.length === 0 ? "none" : random.pick(ids);
}

function inId(text: string, random: Random, change: (id: string) => string): string {
  const id = anyId(text, random);
  return text.replace(`"${id}"`, `"${change(id)}"`);
}
