import { LRUCache } from 'lru-cache';
import { SECOND } from '../../../contract/limits.ts';
import { AppError } from '../../../errors.ts';
import { growingTo } from '../../../platform/growing-cache.ts';
import { readParameters, type TransformParams } from './parameters.ts';

/** A request for an image of a file: its name, the query of the URL, and the client's headers. */
export type TransformRequest = { name: string; query: string; headers: Headers };

const MAX_QUERIES = 2000;
/** Longer queries are parsed every time, as they could fill memory. */
const MAX_QUERY_LENGTH = 200;

/** Null params stand for a query without any of our parameters. */
type Parsed = { params: TransformParams | null } | AppError;

/** Caches parsed queries, and the errors of those that are not valid. */
export class QueryCache {
  private readonly parsed = new LRUCache<string, Parsed>({ max: MAX_QUERIES });

  /** Returns the parameters of a query, or its bad-transform error. */
  parse(query: string): Parsed {
    const cached = this.parsed.get(query);
    if (cached) return cached;
    const parsed = tryToParse(query);
    if (query.length <= MAX_QUERY_LENGTH) this.parsed.set(query, parsed);
    return parsed;
  }

  /** Whether the query was parsed recently and has none of our parameters. */
  hasNoParameters(query: string): boolean {
    const parsed = this.parsed.get(query);
    return parsed !== undefined && !(parsed instanceof AppError) && parsed.params === null;
  }
}

function tryToParse(query: string): Parsed {
  try {
    return { params: readParameters(query) };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const MAX_ACCEPT_LENGTH = 400;
const MAX_OBJECT_KEYS = 10_000;
/**
 * Another process may delete a generated image without telling this one; its object stays on disk
 * for longer than this.
 */
const OBJECT_KEY_TTL_MS = 5 * SECOND;
const BY_ACCEPT = Symbol('by accept');

/** Returns a client's Accept header, shortened to what a cache may hold; null without one. */
export const acceptOf = ({ headers }: TransformRequest): string | null =>
  headers.get('accept')?.slice(0, MAX_ACCEPT_LENGTH) ?? null;

/**
 * Remembers the object keys of the responses to recent requests, by file, name and query. Where the
 * key depends on Accept, the entry is BY_ACCEPT, and the key is in another entry with the Accept.
 */
export class ObjectKeyCache {
  private readonly keys = new LRUCache<string, string | typeof BY_ACCEPT>({
    ...growingTo(MAX_OBJECT_KEYS),
    ttl: OBJECT_KEY_TTL_MS,
    ttlResolution: SECOND / 10,
  });

  /**
   * Returns the key of the response, and whether it depends on Accept; undefined where it is
   * unknown.
   */
  get(fileId: string, request: TransformRequest): { key: string; isByAccept: boolean } | undefined {
    const entry = entryOf(fileId, request);
    const cached = this.keys.get(entry);
    if (typeof cached === 'string') return { key: cached, isByAccept: false };
    const key = cached && this.keys.get(`${entry} ${acceptOf(request)}`);
    return typeof key === 'string' ? { key, isByAccept: true } : undefined;
  }

  /** Remembers the key of a response, whose format the request has named or left to Accept. */
  set(
    fileId: string,
    request: TransformRequest,
    format: TransformParams['format'],
    key: string,
  ): void {
    const entry = entryOf(fileId, request);
    if (format !== 'auto') return void this.keys.set(entry, key);
    this.keys.set(entry, BY_ACCEPT);
    this.keys.set(`${entry} ${acceptOf(request)}`, key);
  }
}

const entryOf = (fileId: string, { name, query }: TransformRequest): string =>
  `${fileId}/${name}?${query}`;
