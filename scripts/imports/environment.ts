import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

const READS = [
  /\b(?:process|Bun)\s*\??\.\s*env\b(?!\s*\.\s*NODE_ENV\b)/,
  /\b(?:process|Bun)\s*\[\s*["'`]env["'`]/,
  /\bimport\.meta\.env\b(?!\s*\.\s*NODE_ENV\b)/,
  /\benv\b[^;=]*\}\s*=\s*(?:process|Bun)\b/,
  /\benv\b[^;]*\}\s*from\s*["'](?:node:process|process|bun)["']/,
];

/**
 * The violation of a file that reads environment variables and is not server/config/config.ts.
 * NODE_ENV is free: bundlers and React ask for it by that name.
 */
export function findEnvironmentRead({ file, code }: Source): Violation[] {
  if (file === 'server/config/config.ts' || layerOf(file).kind === 'outside') return [];
  const read = READS.map((one) => one.exec(code)?.[0]).find(Boolean);
  return read ? [violation(9, file, read)] : [];
}
