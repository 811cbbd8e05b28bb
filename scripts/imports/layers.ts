/**
 * The order of the features. A feature can use those of lower floors; features of the same floor don't know
 * each other.
 */
const FEATURE_ORDER = [
  ['access'],
  ['accounts'],
  ['buckets'],
  ['tokens'],
  ['media'],
  ['files'],
  ['processing'],
  ['uploads', 'delivery'],
  ['usage', 's3'],
  ['billing', 'imports'],
  ['admin', 'home'],
];
/** Features outside of the order: they use the listed features, and no feature uses them. */
const STANDALONE_FEATURES: Record<string, string[]> = {
  landing: [],
  docs: [],
  embed: ['delivery', 'files'],
  realtime: ['access', 'accounts', 'files'],
};
/** `access` has two doors: who asks, and what they may do. */
const ENTRY_FILES = /\/(service|guard|principal|can)\.tsx?$/;

/** The part of the project that a file belongs to, by its path alone. */
export type Layer =
  | { kind: 'contract' | 'schemas' | 'errors' | 'root' | 'web' | 'islands' | 'media' | 'outside' }
  | { kind: 'platform'; module: string; isAdapter: boolean }
  | { kind: 'feature'; name: string };

/**
 * Files of platform modules with several implementations that other code can import. All others are
 * adapters, for `services.ts` alone.
 */
const SHARED_FILES: Record<string, string[]> = {
  db: [
    'port.ts',
    'after-commit.ts',
    'claim-row.ts',
    'database-time.ts',
    'delete-rows.ts',
    'inline-read.ts',
    'listing.ts',
    'prepare-statement.ts',
    'search.ts',
    'sorted-page.ts',
    'batch.ts',
    'await-all.ts',
    'postgres-errors.ts',
    'postgres-client.ts',
    'postgres-session.ts',
  ],
  storage: [
    'port.ts',
    'keys.ts',
    'remote-bucket.ts',
    'concatenate.ts',
    'pending-deletes.ts',
    'pending-deletes-store.ts',
    'due-deletes-store.ts',
    'deletion-pause-store.ts',
    'reservations-store.ts',
  ],
  events: ['port.ts'],
  locks: ['port.ts'],
  mail: ['port.ts', 'address.ts', 'mailbox.ts', 'mail-failure.ts', 'mail-layout.tsx'],
  payments: ['port.ts'],
};

/** Tests, conformance suites and tools can import everything, and no program imports them. */
const OUTSIDE = /^(scripts|tests|bench)\/|\/testing\/|\.test\.tsx?$|\/conformance\.ts$|^[^/]+$/;

/** @param file path from the project's folder, '/' between its parts */
export function layerOf(file: string): Layer {
  if (OUTSIDE.test(file)) return { kind: 'outside' };
  if (file.startsWith('islands/')) return { kind: 'islands' };
  if (file.startsWith('media/')) return { kind: 'media' };
  if (file.startsWith('server/contract/schemas/')) return { kind: 'schemas' };
  if (file.startsWith('server/contract/')) return { kind: 'contract' };
  if (file.startsWith('server/web/')) return { kind: 'web' };
  if (file === 'server/errors.ts') return { kind: 'errors' };
  const [, area, name = '', ...rest] = file.split('/');
  if (area === 'features') return { kind: 'feature', name };
  if (area !== 'platform') return { kind: 'root' };
  const isAdapter = name in SHARED_FILES && !SHARED_FILES[name]?.includes(rest.join('/'));
  return { kind: 'platform', module: name, isAdapter };
}

export const allFeatures = [...FEATURE_ORDER.flat(), ...Object.keys(STANDALONE_FEATURES)];

/** Whether the feature `from` can use the feature `to`. */
export function isBelow(from: string, to: string): boolean {
  const allowed = STANDALONE_FEATURES[from];
  if (allowed) return allowed.includes(to);
  const floor = (name: string) => FEATURE_ORDER.findIndex((one) => one.includes(name));
  return floor(to) >= 0 && floor(to) < floor(from);
}

/** Whether a file is one that other features can import. */
export const isEntryFile = (file: string) => ENTRY_FILES.test(file);
