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
