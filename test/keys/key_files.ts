/** Secret key files for tests: two that other programs wrote, and a builder for those that no program would write. */
import { base64 } from "@scure/base";
import { formatNid, type NodeId } from "../../src/ids/nid.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { sshBytes } from "../../src/bytes/ssh_bytes.ts";
import { importEd25519 } from "../../src/keys/ed25519.ts";

const encoder = new TextEncoder();

/** A key and its file. */
export interface KeyFixture {
  readonly file: string;
  readonly nodeId: NodeId;
  readonly passphrase?: string;
}

/** The key of 32 bytes `ff`, as Radicle writes it without passphrase. */
export const PLAIN: KeyFixture = {
  nodeId: "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi",
  file: `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACB2oVkgRKbk9REmW8pzpgTZCwUp0d9gK+MKGakldmDR9QAAAJAAAAAAAAAA
AAAAAAtzc2gtZWQyNTUxOQAAACB2oVkgRKbk9REmW8pzpgTZCwUp0d9gK+MKGakldmDR9Q
AAAED//////////////////////////////////////////3ahWSBEpuT1ESZbynOmBNkL
BSnR32Ar4woZqSV2YNH1AAAAB3JhZGljbGUBAgMEBQY=
-----END OPENSSH PRIVATE KEY-----
`,
};

/** A key with passphrase, as Radicle writes it: that of the home `edges/edge-encrypted`. */
export const ENCRYPTED: KeyFixture = {
  nodeId: "z6Mki35CLQe4dFyb97xuncjhjLEw6XTStqZ3fGkwVhEMcwR2",
  passphrase: "correct horse",
  file: `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABANwuGGNG
VgAedAoiIEnlhXAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIDU8in/uyjiyxFNu
C9JYb9sY0HDlDgWfHUP4v++5enzhAAAAkBuTJysCsvY5d1XTa2b4RULxWNIta9XwDLd+yC
I3tBSQPa2L4VEJSWb0byTCPwObIB0ZDP5CPpAdjaxzpTIyDOs/LgFwtMiKpfLb9z+7O+n5
RNREGVIIsC28p2rcmV1K7JxXjGGDW5RqjAIUxy0ClsMWRN7H0bsi0Pw7zkUz6Ufx1wgLyg
619bmhdomOxUFzDw==
-----END OPENSSH PRIVATE KEY-----
`,
};

/** The parts of a plain file that a test may have its own way. */
export interface KeyFileParts {
  readonly magic?: string;
  readonly cipher?: string;
  readonly kdf?: string;
  readonly kdfOptions?: Uint8Array;
  readonly keyCount?: number;
  readonly publicBlob?: Uint8Array;
  readonly checks?: readonly [number, number];
  readonly type?: string;
  readonly innerPublicKey?: Uint8Array;
  readonly secretAndPublic?: Uint8Array;
  readonly padding?: Uint8Array;
  readonly privateSection?: Uint8Array;
  readonly trailer?: Uint8Array;
}

/** The secret key of 32 bytes `ff`. */
export const SECRET: Uint8Array<ArrayBuffer> = new Uint8Array(32).fill(0xff);
/** Its public key. */
export const PUBLIC: Uint8Array<ArrayBuffer> = (await importEd25519(SECRET)).publicKey;

/** A file for the key of {@link PLAIN}, right but for the parts that are given. */
export function buildKeyFile(parts: KeyFileParts = {}): Uint8Array<ArrayBuffer> {
  const [first, second] = parts.checks ?? [0, 0];
  const section = parts.privateSection ?? joinBytes([
    sshBytes(
      first,
      second,
      parts.type ?? "ssh-ed25519",
      parts.innerPublicKey ?? PUBLIC,
      parts.secretAndPublic ?? joinBytes([SECRET, PUBLIC]),
      "radicle",
    ),
    parts.padding ?? Uint8Array.of(1, 2, 3, 4, 5, 6),
  ]);
  return toPem(joinBytes([
    encoder.encode(parts.magic ?? "openssh-key-v1\0"),
    sshBytes(
      parts.cipher ?? "none",
      parts.kdf ?? "none",
      parts.kdfOptions ?? new Uint8Array(),
      parts.keyCount ?? 1,
      parts.publicBlob ?? sshBytes("ssh-ed25519", PUBLIC),
      section,
    ),
    parts.trailer ?? new Uint8Array(),
  ]));
}

/** The armour around the bytes of a key file. */
export function toPem(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const lines = base64.encode(bytes).match(/.{1,70}/g)!.join("\n");
  return encoder.encode(`-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`);
}

/** The node id of the key of 32 equal bytes. */
export async function nodeIdOf(byte: number): Promise<NodeId> {
  return formatNid((await importEd25519(new Uint8Array(32).fill(byte))).publicKey);
}
