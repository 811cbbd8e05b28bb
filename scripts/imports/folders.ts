import { dirname } from 'node:path';
import { type Violation, violation } from './rules.ts';

const MAX_FILES = 20;
/** Tests stand beside what they test, and migrations are append-only. */
const NOT_COUNTED = /\.test\.tsx?$|\/conformance\.ts$|\/migrations\//;

/** A violation for each folder that holds more source files than a reader can survey. */
export function findCrowdedFolders(files: Iterable<string>): Violation[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    if (NOT_COUNTED.test(file)) continue;
    const folder = dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => violation(11, folder, `${count} files`));
}
