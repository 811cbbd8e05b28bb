/** The chromaticities (CIE 1931 x, y) of the primaries and of white. */
export type Primaries = {
  red: [number, number];
  green: [number, number];
  blue: [number, number];
  white: [number, number];
};

/** Returns light, 0 to 1, for a value of 0 to 1. */
export type Transfer = (value: number) => number;

type Vector = [number, number, number];
type Matrix = [Vector, Vector, Vector];

const HEADER_BYTES = 128;
const CURVE_ENTRIES = 4096;
/** The white of profiles, and of Bradford's cones: ICC.1:2022, 6.3.1 and annex E. */
const D50: Vector = [0.9642, 1, 0.8249];
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** Makes an ICC profile (version 2, display, RGB) of primaries and one transfer function for all three. */
export function iccProfile(primaries: Primaries, transfer: Transfer): Buffer {
  const [red, green, blue] = transpose(toD50(primaries));
  const tags: [name: string, data: Buffer][] = [
    ['desc', description('Declared')],
    ['cprt', Buffer.from('text\0\0\0\0\0', 'latin1')],
    ['wtpt', xyz(D50)],
    ['rXYZ', xyz(red)],
    ['gXYZ', xyz(green)],
    ['bXYZ', xyz(blue)],
    ...['rTRC', 'gTRC', 'bTRC'].map((name): [string, Buffer] => [name, curve(transfer)]),
  ];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length);
  const parts: Buffer[] = [];
  let end = HEADER_BYTES + table.length;
  for (const [at, [name, data]] of tags.entries()) {
    table.write(name, 4 + at * 12, 'latin1');
    table.writeUInt32BE(end, 8 + at * 12);
    table.writeUInt32BE(data.length, 12 + at * 12);
    const padded = Buffer.alloc(Math.ceil(data.length / 4) * 4);
    data.copy(padded);
    parts.push(padded);
    end += padded.length;
  }
  return Buffer.concat([header(end), table, ...parts]);
}

function header(size: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32BE(size);
  bytes.writeUInt32BE(0x02400000, 8);
  bytes.write('mntrRGB XYZ ', 12, 'latin1');
  bytes.write('acsp', 36, 'latin1');
  writeVector(bytes, 68, D50);
  return bytes;
}

function description(text: string): Buffer {
  const bytes = Buffer.alloc(12 + text.length + 1 + 78);
  bytes.write('desc', 0, 'latin1');
  bytes.writeUInt32BE(text.length + 1, 8);
  bytes.write(text, 12, 'latin1');
  return bytes;
}

function xyz(vector: Vector): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.write('XYZ ', 0, 'latin1');
  writeVector(bytes, 8, vector);
  return bytes;
}

function curve(transfer: Transfer): Buffer {
  const bytes = Buffer.alloc(12 + CURVE_ENTRIES * 2);
  bytes.write('curv', 0, 'latin1');
  bytes.writeUInt32BE(CURVE_ENTRIES, 8);
  for (let at = 0; at < CURVE_ENTRIES; at += 1) {
    const light = Math.min(1, Math.max(0, transfer(at / (CURVE_ENTRIES - 1))));
    bytes.writeUInt16BE(Math.round(light * 0xffff), 12 + at * 2);
  }
  return bytes;
}

/** Writes three numbers of 16 bits before the point and 16 behind. */
function writeVector(bytes: Buffer, start: number, vector: Vector): void {
  for (const [at, value] of vector.entries())
    bytes.writeInt32BE(Math.round(value * 0x10000), start + at * 4);
}

/** Returns the matrix from linear RGB to XYZ with white D50: each column is a primary. */
function toD50({ red, green, blue, white }: Primaries): Matrix {
  const columns = transpose([red, green, blue].map(toXyz) as Matrix);
  const scale = apply(inverse(columns), toXyz(white));
  const toNative = columns.map((row) => row.map((value, at) => value * (scale[at] as number)));
  const from = apply(BRADFORD, toXyz(white));
  const to = apply(BRADFORD, D50);
  const adapted = BRADFORD.map((row, at) =>
    row.map((value) => (value * (to[at] as number)) / (from[at] as number)),
  );
  const adaptation = multiply(inverse(BRADFORD), adapted as Matrix);
  return multiply(adaptation, toNative as Matrix);
}

const toXyz = ([x, y]: [number, number]): Vector => [x / y, 1, (1 - x - y) / y];

const transpose = ([a, b, c]: Matrix): Matrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
];

const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const apply = (matrix: Matrix, vector: Vector) => matrix.map((row) => dot(row, vector)) as Vector;

function multiply(a: Matrix, b: Matrix): Matrix {
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => dot(row, column))) as Matrix;
}

function inverse([a, b, c]: Matrix): Matrix {
  const cross = (u: Vector, v: Vector): Vector => [
    u[1] * v[2] - u[2] * v[1],
    u[2] * v[0] - u[0] * v[2],
    u[0] * v[1] - u[1] * v[0],
  ];
  const determinant = dot(a, cross(b, c));
  const columns = [cross(b, c), cross(c, a), cross(a, b)];
  return transpose(columns.map((one) => one.map((value) => value / determinant)) as Matrix);
}
