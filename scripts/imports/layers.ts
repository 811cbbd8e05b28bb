/**
 * Who may use whose service. A feature may use what stands on a lower floor; features of one
 * floor, and those that are not listed for each other, know nothing of one another.
 */
const FLOORS = [
  ['accounts'],
  ['buckets'],
  ['tokens'],
  ['files'],
  ['uploads', 'delivery'],
  ['usage'],
  ['billing'],
  ['admin'],
];
/** Beside the house: they use what is named and nobody uses them. */
const ANNEXES: Record<string, string[]> = {
  landing: [],
  docs: [],
  embed: ['delivery', 'files'],
  realtime: ['accounts', 'files'],
};
const DOORS = /\/(service|guard)\.tsx?$/;

/** Which part of the house a file belongs to, told from its path alone. */
export type Layer =
  | { kind: 'contract' | 'schemas' | 'errors' | 'root' | 'web' | 'islands' | 'media' | 'outside' }
  | { kind: 'platform'; module: string; isAdapter: boolean }
  | { kind: 'feature'; name: string };

/** Parts with more than one implementation: what is not open here is for `services.ts` alone. */
const OPEN: Record<string, string[]> = {
  db: ['port.ts', 'claim-row.ts', 'listing.ts', 'postgres-errors.ts'],
  storage: [
    'port.ts',
    'keys.ts',
    'pending-deletes.ts',
    'pending-deletes-store.ts',
    'deletion-pause-store.ts',
  ],
  events: ['port.ts'],
  locks: ['port.ts'],
  mail: ['port.ts', 'address.ts'],
  payments: ['port.ts'],
};

/** Tests, conformance suites and tools may import what they like; no program imports them. */
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
  const isAdapter = name in OPEN && !OPEN[name]?.includes(rest.join('/'));
  return { kind: 'platform', module: name, isAdapter };
}

export const knownFeatures = [...FLOORS.flat(), ...Object.keys(ANNEXES)];

/** Whether `from` may use the feature `to` at all. */
export function isBelow(from: string, to: string): boolean {
  const annex = ANNEXES[from];
  if (annex) return annex.includes(to);
  const floor = (name: string) => FLOORS.findIndex((one) => one.includes(name));
  return floor(to) >= 0 && floor(to) < floor(from);
}

/** Whether a file is one through which a feature is entered. */
export const isDoor = (file: string) => DOORS.test(file);
