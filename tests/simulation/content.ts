import { VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';

/* Uploads are the name of their content, after a few bytes that a sniffer takes for an image or a video. */

const BROKEN = 'broken';
const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0]);
const MP4 = new Uint8Array([0, 0, 0, 0x14, ...Buffer.from('ftypisom'), 0, 0, 2, 0]);
const MAX_HEAD_BYTES = 200;
const BOUNDARY = 'boundary-of-the-simulation';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export const nameContent = (number: number, canBeProcessed: boolean): string =>
  `${number}${canBeProcessed ? '' : BROKEN}`;

/** Whether the media process can't process a content. */
export const isBroken = (content: string): boolean => content.includes(BROKEN);

/** Returns the name of the content in the first bytes of an object. */
export async function contentOf(bytes: Blob): Promise<string> {
  const head = await bytes.slice(0, MAX_HEAD_BYTES).text();
  return /id=([^;]*);/.exec(head)?.[1] ?? 'none';
}

/** Returns what contents with these names are after they were read by the media process. */
export const contentOfChunks = (content: string, total: number): string =>
  Array.from({ length: total }, (_, number) => chunkContent(content, number)).join('+');

const chunkContent = (content: string, number: number) => `${content}.${number}`;

export const imagePieces = (content: string): Uint8Array[] =>
  formPieces({}, 'a.jpg', [JPEG, text(`id=${content};`)]);

/** All chunks but the last have the same size, so this is one buffer for all of them. */
let padding: Uint8Array | undefined;

export const filePieces = (content: string): Uint8Array[] =>
  formPieces({}, 'a.txt', [text(`id=${content};`)]);

export function chunkPieces(
  { content, clientId, total }: { content: string; clientId: string; total: number },
  number: number,
): Uint8Array[] {
  const head = text(`id=${chunkContent(content, number)};`);
  const fields = { client_id: clientId, chunk_number: `${number}`, total_chunks: `${total}` };
  const start = number === 0 ? [MP4, head] : [head];
  if (number === total - 1) return formPieces(fields, 'a.mp4', start);
  padding ??= new Uint8Array(VIDEO_CHUNK_BYTES);
  const size = start.reduce((sum, { length }) => sum + length, 0);
  return formPieces(fields, 'a.mp4', [...start, padding.subarray(size)]);
}

function formPieces(
  fields: Record<string, string>,
  fileName: string,
  file: Uint8Array[],
): Uint8Array[] {
  const values = Object.entries(fields).map(
    ([name, value]) => `${head(`name="${name}"`)}\r\n${value}\r\n`,
  );
  const before = `${values.join('')}${head(`name="file"; filename="${fileName}"`)}content-type: application/octet-stream\r\n\r\n`;
  return [text(before), ...file, text(`\r\n--${BOUNDARY}--\r\n`)];
}

const head = (about: string) => `--${BOUNDARY}\r\ncontent-disposition: form-data; ${about}\r\n`;
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
