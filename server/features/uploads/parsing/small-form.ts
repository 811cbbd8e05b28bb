import { KIB } from '../../../contract/limits.ts';
import { LIMITS } from './form-parser.ts';

/** A form that is no longer is collected before it is read, so that a small file takes no stream. */
export const SMALL_FORM_BYTES = 64 * KIB;

/** A part of a form. `fileName` is undefined for a field, and '' for a file without a name. */
export type SmallPart = { name: string; fileName: string | undefined; bytes: Buffer };

const TYPE = /^multipart\/form-data; ?boundary=("?)([\w'()+,./:=?-]{1,70})\1$/i;
/** What browsers, curl and the libraries of most languages write. */
const HEADERS =
  /^content-disposition: form-data; name="([^"%\\\r\n]*)"(?:; filename="([^"%\\/\r\n]*)")?(?:\r\ncontent-type: ([\w!#$&^.+-]+\/[\w!#$&^.+-]+))?$/i;
/** The parser takes a part of this type for a file also where it has no file name. */
const ANY_BYTES = 'application/octet-stream';
const LINE_END = '\r\n';
const HEADERS_END = '\r\n\r\n';

/** Returns the boundary of a form by the Content-Type of its request; null where that is unusual, or no form's. */
export const boundaryOf = (contentType: string): string | null =>
  TYPE.exec(contentType)?.[2] ?? null;

/**
 * Returns the parts of a form of which all bytes are there, as the parser of streams would read them; null where the form
 * is not written in the usual way, so that the parser must tell what it is, or what is wrong with it.
 */
export function partsOfSmallForm(boundary: string, bytes: Buffer): SmallPart[] | null {
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`);
  const first = delimiter.subarray(LINE_END.length);
  if (!bytes.subarray(0, first.length).equals(first)) return null;
  const parts: SmallPart[] = [];
  for (let at = first.length; ; ) {
    const rest = bytes.toString('latin1', at, at + 4);
    if (rest === '--' || rest === `--${LINE_END}`)
      return at + rest.length === bytes.length && areFew(parts) ? parts : null;
    if (!rest.startsWith(LINE_END)) return null;
    const start = at + LINE_END.length;
    const end = bytes.indexOf(delimiter, start);
    const part = end === -1 ? null : partOf(bytes.subarray(start, end));
    if (!part) return null;
    parts.push(part);
    at = end + delimiter.length;
  }
}

/** Returns a part by its headers and bytes; null where it is an unusual one. */
function partOf(part: Buffer): SmallPart | null {
  const headersEnd = part.indexOf(HEADERS_END);
  if (headersEnd === -1) return null;
  const headers = HEADERS.exec(part.toString('utf8', 0, headersEnd));
  if (!headers) return null;
  const [, name = '', fileName, type] = headers;
  const bytes = part.subarray(headersEnd + HEADERS_END.length);
  const isUnusual =
    fileName === undefined
      ? type?.toLowerCase() === ANY_BYTES || bytes.length > LIMITS.fieldSize
      : fileName === '.' || fileName === '..';
  return isUnusual ? null : { name, fileName, bytes };
}

/** Whether a form has parts, and no more than are accepted. */
function areFew(parts: SmallPart[]): boolean {
  const files = parts.filter(({ fileName }) => fileName !== undefined).length;
  const isWithin = files <= LIMITS.files && parts.length - files <= LIMITS.fields;
  return parts.length > 0 && isWithin && parts.length <= LIMITS.parts;
}
