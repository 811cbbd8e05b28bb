import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

const DECLARED = /([#\w]+)\??\s*:\s*Promise</g;
const KEPT = /([#\w]+)\s*\?\?=\s*([^;]*)/g;

/**
 * Returns a violation for each variable or property, declared as a promise in the same file, that `??=`
 * sets and no `finally` clears: everybody would get its rejection until the process ends.
 * @param text the file with its types
 */
export function findKeptPromise({ file }: Source, text: string): Violation[] {
  if (layerOf(file).kind === 'outside') return [];
  const promises = new Set([...text.matchAll(DECLARED)].map(([, name]) => name));
  return [...text.matchAll(KEPT)]
    .filter(([, name, value = '']) => promises.has(name) && !value.includes('.finally('))
    .map(([, name = '']) => violation(16, file, name));
}
