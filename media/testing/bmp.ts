/** Returns a BMP of 24 bits a pixel in one colour. */
export function bmp(width: number, height: number, [red, green, blue]: [number, number, number]) {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(head.length + rowBytes * height, 2);
  head.writeUInt32LE(head.length, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(width, 18);
  head.writeInt32LE(height, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  const row = Buffer.alloc(rowBytes);
  row.fill(Buffer.from([blue, green, red]), 0, width * 3);
  return Buffer.concat([head, ...Array<Buffer>(height).fill(row)]);
}
