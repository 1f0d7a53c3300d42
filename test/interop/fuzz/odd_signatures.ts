/** What can be odd about the signature of an entry: its container, its armour, how many there are. */
import { oidToBytes } from "../../../src/ids/oid.ts";
import type { SignedMessage } from "../../../src/keys/signature_rules.ts";
import { encodingsOf, signMixed, TORSION } from "../../support/crafted_signatures.ts";
import type { Oddity } from "./raw.ts";

/** R is the identity, and S is 0. */
const NO_SIGNATURE = Uint8Array.from({ length: 64 }, (_, at) => at === 0 ? 1 : 0);

/** A signature that only the writer's secret makes, but no program. */
function mixed(sign: (seed: Uint8Array, message: Uint8Array) => SignedMessage): Oddity {
  return {
    signature(signature, { key, tree }) {
      Object.assign(signature, sign(key.seed, oidToBytes(tree)));
    },
  };
}

/** Odd signatures by name. */
export const ODD_SIGNATURES: Readonly<Record<string, Oddity>> = {
  "signature.wrong": {
    signature: (signature) => void (signature.signature = signature.signature.toReversed()),
  },
  "signature.commit": {
    signature: (signature, { key, commits }) =>
      void (signature.signature = key.sign(new TextEncoder().encode(commits[0]!))),
  },
  "signature.stolen": {
    signature: (signature, { keys, key }) =>
      void (signature.publicKey = keys.find(({ nid }) => nid !== key.nid)!.publicKey),
  },
  ...Object.fromEntries(TORSION.map((point, i) => [
    `signature.r.${i + 1}T`,
    mixed((seed, message) => signMixed(seed, message, point)),
  ])),
  "signature.key.mixed": mixed((seed, message) => signMixed(seed, message, undefined, TORSION[0])),
  ...Object.fromEntries(
    TORSION.flatMap((point, i) =>
      encodingsOf(point).map((publicKey, form): [string, Oddity] => [
        `signature.key.${i + 1}T.${form}`,
        // R and S are those of the identity and 0.
        { signature: (signature) => Object.assign(signature, { publicKey, signature: NO_SIGNATURE }) },
      ])
    ),
  ),
  "signature.key.none": {
    signature: (signature) => void (signature.publicKey = new Uint8Array(32).fill(2)),
  },
  "signature.short": { signature: (signature) => void (signature.signature = signature.signature.slice(1)) },
  "signature.long": {
    signature: (signature) => void (signature.signature = Uint8Array.from([...signature.signature, 0])),
  },
  "signature.key.short": {
    signature: (signature) => void (signature.publicKey = signature.publicKey.slice(1)),
  },
  "signature.namespace.empty": { signature: (signature) => void (signature.namespace = "") },
  "signature.namespace.other": { signature: (signature) => void (signature.namespace = "git") },
  "signature.reserved": { signature: (signature) => void (signature.reserved = "x") },
  "signature.hash.md5": { signature: (signature) => void (signature.hash = "md5") },
  "signature.hash.sha512": { signature: (signature) => void (signature.hash = "sha512") },
  "signature.hash.empty": { signature: (signature) => void (signature.hash = "") },
  "signature.hash.upper": { signature: (signature) => void (signature.hash = "SHA256") },
  "signature.key.type": { signature: (signature) => void (signature.keyType = "ssh-rsa") },
  "signature.type": { signature: (signature) => void (signature.signatureType = "ssh-rsa") },
  "signature.version.two": { signature: (signature) => void (signature.version = 2) },
  "signature.version.zero": { signature: (signature) => void (signature.version = 0) },
  "signature.rest": { signature: (signature) => void signature.rest.push(0) },
  "armour.64": { signature: (signature) => void (signature.columns = 64) },
  "armour.76": { signature: (signature) => void (signature.columns = 76) },
  "armour.69": { signature: (signature) => void (signature.columns = 69) },
  "armour.line": { signature: (signature) => void (signature.columns = 1000) },
  "armour.crlf": { armour: (text) => text.replaceAll("\n", "\r\n") },
  "armour.cr": { armour: (text) => text.replaceAll("\n", "\r") },
  "armour.crlf.part": { armour: (text) => text.replace(/\n(?=-----END)/, "\r\n") },
  "armour.crlf.first": { armour: (text) => text.replace("\n", "\r\n") },
  "armour.crlf.body": { armour: (text) => text.replace(/(?<!-----)\n(?!-----)/g, "\r\n") },
  "armour.crlf.end": { armour: (text) => `${text}\r` },
  "armour.blank": { armour: (text) => text.replace("\n", "\n\n") },
  "armour.blank.end": { armour: (text) => text.replace(/\n(?=-----END)/, "\n\n") },
  "armour.spaces": { armour: (text) => text.replaceAll("\n", " \n") },
  "armour.spaces.before": { armour: (text) => text.replaceAll("\n", "\n ") },
  "armour.end.line": { armour: (text) => `${text}\n` },
  "armour.end.lines": { armour: (text) => `${text}\n\n` },
  "armour.end.text": { armour: (text) => `${text}\nmore` },
  "armour.end.none": { armour: (text) => text.replace(/\n-----END.*/, "") },
  "armour.end.other": { armour: (text) => text.replace("-----END SSH", "-----END PGP") },
  "armour.begin.text": { armour: (text) => `text\n${text}` },
  "armour.begin.line": { armour: (text) => `\n${text}` },
  "armour.begin.space": { armour: (text) => ` ${text}` },
  "armour.unpadded": { armour: (text) => text.replace(/=+(?=\n)/, "") },
  "armour.url": { armour: (text) => text.replaceAll("+", "-").replaceAll("/", "_") },
  "armour.bits": { armour: (text) => text.replace(/.(?==*\n-----END)/, "9") },
  "armour.header": { armour: (text) => text.replace("\n", "\nVersion: 1\n\n") },
  "armour.lower": { armour: (text) => text.replace("BEGIN SSH SIGNATURE", "begin ssh signature") },
  "armour.label": { armour: (text) => text.replaceAll("SSH SIGNATURE", "SSH  SIGNATURE") },
  "signatures.two": { commit: (commit) => void commit.signatures.push(commit.signatures[0]!) },
  "signatures.none": { commit: (commit) => void (commit.signatures = []) },
  "signatures.pgp": {
    commit: (commit) =>
      void commit.signatures.unshift(
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----",
      ),
  },
  "signatures.pgp.alone": {
    commit: (commit) =>
      void (commit.signatures = [
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----",
      ]),
  },
  "signatures.broken": {
    commit: (commit) =>
      void commit.signatures.push("gpgsig -----BEGIN SSH SIGNATURE-----\n abc\n -----END SSH SIGNATURE-----"),
  },
  "signatures.broken.first": {
    commit: (commit) =>
      void commit.signatures.unshift(
        "gpgsig -----BEGIN SSH SIGNATURE-----\n abc\n -----END SSH SIGNATURE-----",
      ),
  },
  "signatures.name": {
    commit: (commit) =>
      void (commit.signatures = commit.signatures.map((line) => line.replace("gpgsig", "gpgsig-sha256"))),
  },
  "signatures.tab": {
    commit: (commit) =>
      void (commit.signatures = commit.signatures.map((line) => line.replaceAll("\n ", "\n\t"))),
  },
};
