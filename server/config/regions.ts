import { REGIONS, type Region } from '../contract/regions.ts';
import type { S3Settings } from '../platform/storage/s3/settings.ts';
import type { EnvReader } from './reader.ts';
import { readS3 } from './storage.ts';

/** What a region has of its own; null is the server's. */
export type RegionConfig = { storage: S3Settings | null; cdnUrl: string | null };
export type RegionConfigs = Partial<Record<Region, RegionConfig>>;

const SHAPE = `{"WEUR": {"storage": "s3://…", "cdn": "https://…"}}`;
const PARTS = ['storage', 'cdn'];

/** Reads REGIONS, a JSON object by region. Notes a mistake for each part that is wrong. */
export function readRegions(read: EnvReader): RegionConfigs {
  const text = read.text('REGIONS');
  if (text === null) return {};
  const parsed = parse(text);
  if (!isObject(parsed)) {
    read.mistake(`REGIONS must be JSON like ${SHAPE}.`);
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

/** Of those that have one. */
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
    read.mistake(`${name} must have storage, cdn or both, as in ${SHAPE}.`);
    return nothing;
  }
  const { storage = null, cdn = null } = own;
  if (![storage, cdn].every((part) => part === null || typeof part === 'string')) {
    read.mistake(`${name} must have URLs in quotes, as in ${SHAPE}.`);
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
