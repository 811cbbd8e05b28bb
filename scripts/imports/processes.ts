import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

const STARTS = [
  /\bBun\s*\??\.\s*(?:spawn|spawnSync|\$)(?![\w$])/,
  /\b(?:spawn|spawnSync|\$)\b[^;]*\}\s*from\s*["']bun["']/,
  /\b(?:spawn|spawnSync|\$)\b[^;=]*\}\s*=\s*Bun\b/,
];
const NODE_MODULES = ['child_process', 'node:child_process', 'cluster', 'node:cluster'];

/** The violation of a file that starts processes and is not media/sandbox/spawn.ts. */
export function findSpawn({ file, imports, code }: Source): Violation[] {
  if (file === 'media/sandbox/spawn.ts' || layerOf(file).kind === 'outside') return [];
  const start =
    STARTS.map((one) => one.exec(code)?.[0]).find(Boolean) ??
    imports.find((one) => NODE_MODULES.includes(one.target))?.target;
  return start ? [violation(13, file, start)] : [];
}
