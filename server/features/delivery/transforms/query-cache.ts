import { LRUCache } from 'lru-cache';
import { AppError } from '../../../errors.ts';
import { readParameters, type TransformParams } from './parameters.ts';

const MAX_QUERIES = 2000;
/** Longer queries are parsed every time, as they could fill memory. */
const MAX_QUERY_LENGTH = 200;

/** Null params stand for a query that holds no parameter of ours. */
type Parsed = { params: TransformParams | null } | AppError;

/** Remembers what queries mean; the error that a query leads to is remembered as well. */
export class QueryCache {
  private readonly parsed = new LRUCache<string, Parsed>({ max: MAX_QUERIES });

  /** The parameters of a query, or the bad-transform error that it leads to. */
  parse(query: string): Parsed {
    const cached = this.parsed.get(query);
    if (cached) return cached;
    const parsed = tryToParse(query);
    if (query.length <= MAX_QUERY_LENGTH) this.parsed.set(query, parsed);
    return parsed;
  }

  /** Whether the query was parsed recently and held no parameter of ours. */
  isKnownPlain(query: string): boolean {
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
