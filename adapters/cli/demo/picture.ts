/** The demo's picture: a leaf, made here so that there is nothing in it that cannot be read. */
import { zlibSync } from "fflate";
import { joinBytes } from "../../../src/bytes/join.ts";

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** Width and height in pixels. */
const SIZE = 48;
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const CRC_POLYNOMIAL = 0xedb88320;

/** A leaf on transparent ground, as PNG (RFC 2083), with the same bytes on every runtime. */
export function leafPicture(colour: Colour): Uint8Array {
  const rows: number[] = [];
  for (let y = 0; y < SIZE; y++) {
    rows.push(0); // no filter
    for (let x = 0; x < SIZE; x++) rows.push(...leafPixel(x - SIZE / 2, y - SIZE / 2, colour));
  }
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, SIZE);
  view.setUint32(4, SIZE);
  header.set([8, 6], 8); // 8 bits for each of red, green, blue, alpha
  return joinBytes([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", zlibSync(Uint8Array.from(rows), { level: 9 })),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** The leaf is where two discs overlap; its vein is the diagonal. */
function leafPixel(x: number, y: number, [red, green, blue]: Colour): readonly number[] {
  const isInside = Math.hypot(x - 8, y - 8) < 24 && Math.hypot(x + 8, y + 8) < 24;
  if (!isInside) return [0, 0, 0, 0];
  return Math.abs(x + y) < 2 ? [214, 232, 180, 255] : [red, green - x, blue, 255];
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = joinBytes([new TextEncoder().encode(type), data]);
  const numbers = new DataView(new ArrayBuffer(8));
  numbers.setUint32(0, data.length);
  numbers.setUint32(4, crc32(typed));
  return joinBytes([new Uint8Array(numbers.buffer, 0, 4), typed, new Uint8Array(numbers.buffer, 4)]);
}

/** The checksum of RFC 2083, appendix 15, bit by bit: the picture is small. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
  }
  return ~crc >>> 0;
}
