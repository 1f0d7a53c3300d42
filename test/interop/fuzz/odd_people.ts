/** What can be odd about the author and the committer of an entry: names, addresses, times, zones. */
import type { Oddity } from "./raw.ts";

/** A committer or author line made from its parts. */
function person(make: (name: string, mail: string, time: string) => string | undefined) {
  return (line: string | undefined): string | undefined => {
    const [, name = "", mail = "", time = ""] = /^(.*) <(.*)> (\d+) \+0000$/.exec(line ?? "") ?? [];
    return make(name, mail, time);
  };
}
function committer(make: (name: string, mail: string, time: string) => string | undefined): Oddity {
  return { commit: (commit) => void (commit.committer = person(make)(commit.committer)) };
}
function author(make: (name: string, mail: string, time: string) => string | undefined): Oddity {
  return { commit: (commit) => void (commit.author = person(make)(commit.author)) };
}
/** Odd lines by name. */
export const ODD_PEOPLE: Readonly<Record<string, Oddity>> = {
  "committer.zone.none": committer((name, mail, time) => `${name} <${mail}> ${time}`),
  "committer.zone.text": committer((name, mail, time) => `${name} <${mail}> ${time} UTC`),
  "committer.zone.short": committer((name, mail, time) => `${name} <${mail}> ${time} +1`),
  "committer.zone.three": committer((name, mail, time) => `${name} <${mail}> ${time} +100`),
  "committer.zone.unsigned": committer((name, mail, time) => `${name} <${mail}> ${time} 0100`),
  "committer.zone.minus": committer((name, mail, time) => `${name} <${mail}> ${time} -0000`),
  "committer.zone.minutes": committer((name, mail, time) => `${name} <${mail}> ${time} +0175`),
  "committer.zone.hours": committer((name, mail, time) => `${name} <${mail}> ${time} +2500`),
  "committer.zone.max": committer((name, mail, time) => `${name} <${mail}> ${time} +9999`),
  "committer.zone.long": committer((name, mail, time) => `${name} <${mail}> ${time} +99999`),
  "committer.zone.longer": committer((name, mail, time) => `${name} <${mail}> ${time} +010000`),
  "committer.zone.real": committer((name, mail, time) => `${name} <${mail}> ${time} -0730`),
  "committer.zone.colon": committer((name, mail, time) => `${name} <${mail}> ${time} +01:00`),
  "committer.zone.rest": committer((name, mail, time) => `${name} <${mail}> ${time} +0100x`),
  "committer.zone.blank": committer((name, mail, time) => `${name} <${mail}> ${time} +0100 `),
  "committer.zone.more": committer((name, mail, time) => `${name} <${mail}> ${time} +0100 more`),
  "committer.time.none": committer((name, mail) => `${name} <${mail}>`),
  "committer.time.text": committer((name, mail) => `${name} <${mail}> abc +0000`),
  "committer.time.rest": committer((name, mail, time) => `${name} <${mail}> ${time}abc +0000`),
  "committer.time.negative": { ...committer((name, mail) => `${name} <${mail}> -5 +0000`), isTimeless: true },
  "committer.time.plus": committer((name, mail, time) => `${name} <${mail}> +${time} +0000`),
  "committer.time.zero": committer((name, mail) => `${name} <${mail}> 0 +0000`),
  "committer.time.zeros": committer((name, mail, time) => `${name} <${mail}> 00${time} +0000`),
  "committer.time.large": {
    ...committer((name, mail) => `${name} <${mail}> 9223372036854775807 +0000`),
    isTimeless: true,
  },
  "committer.time.larger": {
    ...committer((name, mail) => `${name} <${mail}> 9223372036854775808 +0000`),
    isTimeless: true,
  },
  "committer.time.far": committer((name, mail) => `${name} <${mail}> 9007199254740 +0000`),
  "committer.time.farther": committer((name, mail) => `${name} <${mail}> 9007199254741993 +0000`),
  "committer.time.float": committer((name, mail, time) => `${name} <${mail}> ${time}.5 +0000`),
  "committer.time.blanks": committer((name, mail, time) => `${name} <${mail}>  ${time}  +0000`),
  "committer.time.tab": committer((name, mail, time) => `${name} <${mail}>\t${time}\t+0000`),
  "committer.mail.none": committer((name, _mail, time) => `${name} ${time} +0000`),
  "committer.mail.empty": committer((name, _mail, time) => `${name} <> ${time} +0000`),
  "committer.mail.alone": committer((_name, mail, time) => `<${mail}> ${time} +0000`),
  "committer.mail.open": committer((name, mail, time) => `${name} <${mail} ${time} +0000`),
  "committer.mail.closed": committer((name, mail, time) => `${name} ${mail}> ${time} +0000`),
  "committer.mail.nested": committer((name, mail, time) => `${name} <<${mail}>> ${time} +0000`),
  "committer.mail.twice": committer((name, mail, time) => `${name} <${mail}> <${mail}> ${time} +0000`),
  "committer.mail.blank": committer((name, mail, time) => `${name} < ${mail} > ${time} +0000`),
  "committer.name.none": committer((_name, mail, time) => ` <${mail}> ${time} +0000`),
  "committer.name.joined": committer((name, mail, time) => `${name}<${mail}> ${time} +0000`),
  "committer.name.blanks": committer((name, mail, time) => `  ${name}  <${mail}> ${time} +0000`),
  "committer.name.crud": committer((name, mail, time) => `.,:;"'${name}\\.; <${mail}> ${time} +0000`),
  "committer.name.control": committer((name, mail, time) => `${name}\x01 <${mail}> ${time} +0000`),
  "committer.name.bracket": committer((name, mail, time) => `so>me${name} <${mail}> ${time} +0000`),
  "committer.joined": committer((name, mail, time) => `${name} <${mail}>${time} +0000`),
  "committer.none": committer(() => undefined),
  "committer.empty": committer(() => ""),
  "author.zone.none": author((name, mail, time) => `${name} <${mail}> ${time}`),
  "author.zone.text": author((name, mail, time) => `${name} <${mail}> ${time} UTC`),
  "author.zone.long": author((name, mail, time) => `${name} <${mail}> ${time} +99999`),
  "author.time.none": author((name, mail) => `${name} <${mail}>`),
  "author.time.text": author((name, mail) => `${name} <${mail}> abc +0000`),
  "author.time.negative": author((name, mail) => `${name} <${mail}> -5 +0000`),
  "author.time.larger": author((name, mail) => `${name} <${mail}> 9223372036854775808 +0000`),
  "author.mail.none": author((name, _mail, time) => `${name} ${time} +0000`),
  "author.mail.empty": author((name, _mail, time) => `${name} <> ${time} +0000`),
  "author.mail.alone": author((_name, mail, time) => `<${mail}> ${time} +0000`),
  "author.mail.open": author((name, mail, time) => `${name} <${mail} ${time} +0000`),
  "author.mail.nested": author((name, mail, time) => `${name} <<${mail}>> ${time} +0000`),
  "author.mail.twice": author((name, mail, time) => `${name} <${mail}> <${mail}> ${time} +0000`),
  "author.name.none": author((_name, mail, time) => ` <${mail}> ${time} +0000`),
  "author.name.joined": author((name, mail, time) => `${name}<${mail}> ${time} +0000`),
  "author.joined": author((name, mail, time) => `${name} <${mail}>${time} +0000`),
  "author.none": author(() => undefined),
  "author.empty": author(() => ""),
  "author.twice": { commit: (commit) => void commit.before.push(`author ${commit.author}`) },
  "committer.twice": { commit: (commit) => void commit.before.push(`committer someone <a@b> 5 +0000`) },
  "committer.twice.bad": { commit: (commit) => void commit.before.push(`committer nonsense`) },
};
