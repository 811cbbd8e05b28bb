import { LRUCache } from 'lru-cache';
import { AppError } from '../../../errors.ts';
import { readParameters, type TransformParams } from './parameters.ts';

const MAX_QUERIES = 2000;
/** Longer queries are parsed every time, as they could fill memory. */
const MAX_QUERY_LENGTH = 200;

type Parsed = { params: TransformParams | null } | AppError;

/** A cache of parsed queries, and of the errors of those that are not valid. */
export class ParsedQueryCache {
  private readonly parsed = new LRUCache<string, Parsed>({ max: MAX_QUERIES });

  /** Returns the parameters of a query; null where it has none of ours. Throws bad-transform. */
  parse(query: string): TransformParams | null {
    const parsed = this.parsed.get(query) ?? tryToParse(query);
    if (query.length <= MAX_QUERY_LENGTH) this.parsed.set(query, parsed);
    if (parsed instanceof AppError) throw parsed;
    return parsed.params;
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
