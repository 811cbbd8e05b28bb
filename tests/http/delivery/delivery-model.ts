/*
 * A model of range and conditional requests and the responses that RFC 9110 requires. It shares nothing
 * with the server, and builds requests from values so that it parses no header.
 */

export type Delivered = {
  bytes: Uint8Array;
  etag: string /** Epoch ms, whole seconds. */;
  modified: number;
};
type Tag = 'same' | 'other' | 'weak' | 'any';
type Time = 'same' | 'before' | 'after' | 'nonsense';
export type Case = {
  method: 'GET' | 'HEAD';
  ifMatch?: Tag[];
  ifNoneMatch?: Tag[];
  ifModifiedSince?: Time;
  ifUnmodifiedSince?: Time;
  ifRange?: { tag: Tag } | { time: Time };
  range?: { first?: number; last?: number } | { text: string };
};
export type Expected =
  | { status: 200 | 206; start: number; end: number }
  | { status: 304 | 412 | 416 };

/** Ranges that are multiple, in another unit or malformed; the response contains the whole. */
const UNREAD = [
  'bytes=0-1,3-4',
  'bytes=-',
  'bytes=9-2',
  'lines=0-1',
  'bytes=a-b',
  'bytes',
  '',
  'bytes=0x1-2',
];

/** Returns a random request for `size` bytes. `random` returns numbers from 0 to below 1. */
export function randomCase(random: () => number, size: number): Case {
  const pick = <Value>(values: readonly Value[]) =>
    values[Math.floor(random() * values.length)] as Value;
  const sometimes = <Value>(chance: number, make: () => Value) =>
    random() < chance ? make() : undefined;
  const offset = () => pick([0, 1, size - 1, size, size + 1, Math.floor(random() * size * 1.2)]);
  const tags = (): Tag[] =>
    Array.from({ length: pick([1, 1, 2, 3]) }, () =>
      pick(['same', 'other', 'other', 'weak', 'any']),
    );
  const time = () => pick(['same', 'before', 'after', 'nonsense'] as const);
  const range = (): Case['range'] => {
    const kind = random();
    if (kind < 0.15) return { text: pick(UNREAD) };
    if (kind < 0.35) return { last: offset() };
    const first = Math.max(0, offset());
    return kind < 0.55 ? { first } : { first, last: first + Math.max(0, offset()) };
  };
  const request: Case = { method: random() < 0.15 ? 'HEAD' : 'GET' };
  return Object.assign(
    request,
    optional({
      ifMatch: sometimes(0.12, tags),
      ifNoneMatch: sometimes(0.25, tags),
      ifModifiedSince: sometimes(0.2, time),
      ifUnmodifiedSince: sometimes(0.12, time),
      ifRange: sometimes(0.2, () =>
        random() < 0.5 ? { tag: pick(['same', 'other', 'weak'] as const) } : { time: time() },
      ),
      range: sometimes(0.7, range),
    }),
  );
}

const optional = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Returns the headers of a request. */
export function headersOf(one: Case, { etag, modified }: Delivered): Record<string, string> {
  const tag = (kind: Tag) =>
    ({ same: etag, other: '"another"', weak: `W/${etag}`, any: '*' })[kind];
  const time = (kind: Time) =>
    kind === 'nonsense'
      ? 'yesterday'
      : new Date(modified + { same: 0, before: -1000, after: 1000 }[kind]).toUTCString();
  const { range, ifRange } = one;
  return optional({
    'if-match': one.ifMatch?.map(tag).join(', '),
    'if-none-match': one.ifNoneMatch?.map(tag).join(','),
    'if-modified-since': one.ifModifiedSince && time(one.ifModifiedSince),
    'if-unmodified-since': one.ifUnmodifiedSince && time(one.ifUnmodifiedSince),
    'if-range': ifRange && ('tag' in ifRange ? tag(ifRange.tag) : time(ifRange.time)),
    range:
      range && ('text' in range ? range.text : `bytes=${range.first ?? ''}-${range.last ?? ''}`),
  }) as Record<string, string>;
}

/** Returns the expected response, in the order of RFC 9110, 13.2.2. */
export function expectedOf(one: Case, { bytes }: Delivered): Expected {
  const size = bytes.length;
  if (one.ifMatch) {
    if (!one.ifMatch.some((tag) => tag === 'same' || tag === 'any')) return { status: 412 };
  } else if (one.ifUnmodifiedSince === 'before') return { status: 412 };
  if (one.ifNoneMatch) {
    if (one.ifNoneMatch.some((tag) => tag !== 'other')) return { status: 304 };
  } else if (one.ifModifiedSince === 'same' || one.ifModifiedSince === 'after') {
    return { status: 304 };
  }
  const full = { status: 200, start: 0, end: size } as const;
  const { range, ifRange } = one;
  if (!range || 'text' in range || one.method === 'HEAD') return full;
  const isSame = !ifRange || ('tag' in ifRange ? ifRange.tag === 'same' : ifRange.time === 'same');
  if (!isSame) return full;
  const { first, last = Number.POSITIVE_INFINITY } = range;
  const start = first ?? Math.max(0, size - last);
  const end = first === undefined ? size : Math.min(size, last + 1);
  return start < end ? { status: 206, start, end } : { status: 416 };
}
