import { REGIONS, type Region } from '../contract/regions.ts';
import type { S3Settings } from '../platform/storage/s3/client.ts';
import type { EnvReader } from './reader.ts';

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/;
const ROOT = /^([A-Za-z0-9_][A-Za-z0-9._-]*\/)*$/;
const KNOWN_PARAMETERS = ['endpoint', 'region'];
const STORAGE_SHAPE = 's3://bucket?endpoint=https://…&region=…';

/**
 * Parses `s3://[key:secret@]bucket[/folder]?endpoint=…&region=…`. Without key and secret it takes those of
 * the usual AWS variables. Returns null and records a mistake for anything else.
 * @param name the variable of the value, for the mistake
 */
export function readS3(read: EnvReader, name: string, value: string): S3Settings | null {
  const wrong = (what: string) => {
    read.mistake(`${name} ${what}`);
    return null;
  };
  if (!URL.canParse(value) || !value.startsWith('s3://'))
    return wrong(`must look like ${STORAGE_SHAPE}.`);
  const url = new URL(value);
  if (url.port || url.hash) return wrong('must name a bucket; its server is the endpoint.');
  if (!BUCKET.test(url.hostname)) return wrong(`must name a bucket, as in ${STORAGE_SHAPE}.`);
  const stranger = [...url.searchParams.keys()].find((key) => !KNOWN_PARAMETERS.includes(key));
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

/** Decodes a part of a URL. A secret may contain a '%' that is not escaped. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a region has of its own; null means the server's. */
type RegionConfig = { storage: S3Settings | null; cdnUrl: string | null };
export type RegionConfigs = Partial<Record<Region, RegionConfig>>;

const REGIONS_SHAPE = `{"WEUR": {"storage": "s3://…", "cdn": "https://…"}}`;
const PARTS = ['storage', 'cdn'];

/** Parses REGIONS, a JSON object by region. Records a mistake for each part that is wrong. */
export function readRegions(read: EnvReader): RegionConfigs {
  const text = read.text('REGIONS');
  if (text === null) return {};
  const parsed = parse(text);
  if (!isObject(parsed)) {
    read.mistake(`REGIONS must be JSON like ${REGIONS_SHAPE}.`);
    return {};
  }
  const regions: RegionConfigs = {};
  for (const [code, own] of Object.entries(parsed)) {
    if (!Object.hasOwn(REGIONS, code)) {
      read.mistake(
        `REGIONS has the unknown region '${code}'. Use ${Object.keys(REGIONS).join(', ')}.`,
      );
    } else regions[code as Region] = readRegion(read, code, own);
  }
  return regions;
}

/** Returns the storages of the regions that have their own. */
export function storagesOf(regions: RegionConfigs): Partial<Record<Region, S3Settings>> {
  const all = Object.entries(regions);
  return Object.fromEntries(
    all.flatMap(([code, { storage }]) => (storage ? [[code, storage]] : [])),
  );
}

function readRegion(read: EnvReader, code: string, own: unknown): RegionConfig {
  const nothing: RegionConfig = { storage: null, cdnUrl: null };
  const name = `REGIONS: ${code}`;
  const parts = isObject(own) ? Object.keys(own) : [];
  if (!isObject(own) || parts.length === 0 || parts.some((part) => !PARTS.includes(part))) {
    read.mistake(`${name} must have storage, cdn or both, as in ${REGIONS_SHAPE}.`);
    return nothing;
  }
  const { storage = null, cdn = null } = own;
  if (![storage, cdn].every((part) => part === null || typeof part === 'string')) {
    read.mistake(`${name} must have URLs in quotes, as in ${REGIONS_SHAPE}.`);
    return nothing;
  }
  return {
    storage: typeof storage === 'string' ? readS3(read, `${name}: storage`, storage) : null,
    cdnUrl: typeof cdn === 'string' ? readCdn(read, name, cdn) : null,
  };
}

function readCdn(read: EnvReader, name: string, value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) {
    return value.replace(/\/+$/, '');
  }
  read.mistake(`${name}: cdn must be a URL that starts with http:// or https://, and no query.`);
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
