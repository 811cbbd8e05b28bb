import type { S3Settings } from '../platform/storage/s3/settings.ts';
import type { EnvReader } from './reader.ts';

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/;
const ROOT = /^([A-Za-z0-9_][A-Za-z0-9._-]*\/)*$/;
const KNOWN = ['endpoint', 'region'];
const SHAPE = 's3://bucket?endpoint=https://…&region=…';

/**
 * Reads `s3://[key:secret@]bucket[/folder]?endpoint=…&region=…`; without key and secret those of the
 * usual AWS variables are taken. Null, with a mistake noted, for anything else. `name` is what holds it.
 */
export function readS3(read: EnvReader, name: string, value: string): S3Settings | null {
  const wrong = (what: string) => {
    read.mistake(`${name} ${what}`);
    return null;
  };
  if (!URL.canParse(value) || !value.startsWith('s3://')) return wrong(`must look like ${SHAPE}.`);
  const url = new URL(value);
  if (url.port || url.hash) return wrong('must name a bucket; its server is the endpoint.');
  if (!BUCKET.test(url.hostname)) return wrong(`must name a bucket, as in ${SHAPE}.`);
  const stranger = [...url.searchParams.keys()].find((key) => !KNOWN.includes(key));
  if (stranger) return wrong(`has an unknown parameter: ${stranger}.`);
  const endpoint = url.searchParams.get('endpoint')?.replace(/\/+$/, '') || null;
  if (endpoint && !/^https?:\/\/[^/]/.test(endpoint)) {
    return wrong('must have an endpoint that starts with http:// or https://.');
  }
  const region = url.searchParams.get('region');
  if (!endpoint && !region) return wrong('must have an endpoint, or the region of Amazon S3.');
  const folder = url.pathname.replace(/^\/+|\/+$/g, '');
  const root = folder && `${folder}/`;
  if (!ROOT.test(root)) return wrong('must have a folder of letters, digits, dots and dashes.');
  const isNamed = url.username !== '';
  const accessKeyId = isNamed ? decode(url.username) : read.text('AWS_ACCESS_KEY_ID');
  const secretAccessKey = isNamed ? decode(url.password) : read.text('AWS_SECRET_ACCESS_KEY');
  if (!accessKeyId || !secretAccessKey) {
    return wrong('needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  }
  return {
    bucket: url.hostname,
    root,
    endpoint,
    region: region ?? 'us-east-1',
    accessKeyId,
    secretAccessKey,
    sessionToken: isNamed ? null : read.text('AWS_SESSION_TOKEN'),
  };
}

/** A secret may hold a '%' that nobody has escaped. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
