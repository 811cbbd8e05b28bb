import { isBelow, isEntryFile, type Layer, layerOf } from './layers.ts';

/** An import at run time; type imports don't count. */
export type Import = {
  /** A path from the project's folder, or the name of a package. */
  target: string;
  isPackage: boolean;
  /** Whether it is an `import()`, which runs when it is reached. */
  isDynamic: boolean;
};
export type Source = {
  /** The path from the project's folder. */
  file: string;
  imports: Import[];
  /** The paths of all files that it names in imports, also those of which it uses only types. */
  linked: string[];
  /** The text without comments and types, as the transpiler returns it. */
  code: string;
};
export type Violation = { rule: number; file: string; target: string; sentence: string };

/** The rules by their numbers in CONTRIBUTING.md. */
export const SENTENCES: Record<number, string> = {
  1: 'The contract imports nothing; its schemas import elysia and the contract.',
  2: 'The platform imports contract and errors; never a feature.',
  3: 'A feature imports ports, contract, errors, web, and lower features by service.ts or guard.ts, or access/.',
  4: 'Islands import of the server the contract, types too; only pages and web import islands.',
  5: 'Media imports the contract.',
  6: 'Adapters are imported only by services.ts, media-process.ts and server/adapters/, which exports none of them; shared helpers are named in scripts/imports/layers.ts.',
  7: 'A library that needs window is imported inside an effect, by import().',
  8: 'There are no import cycles.',
  9: 'Only server/config/config.ts reads the environment.',
  10: 'No program imports tests or tools.',
  11: 'A folder holds at most 20 source files beside its sub-folders.',
  12: 'SQL stands in store.ts, *-store.ts, server/platform/db/ and the postgres.ts of a port.',
  13: 'Only media/sandbox/spawn.ts starts processes.',
  14: 'Folders side by side do not import each other in a circle.',
  15: 'An island imports ui, runtime, page and the contract; of another subject only its shared.ts.',
  16: 'A promise is not kept with ??=, which keeps a rejection for ever: use memoizeAsync(), or finally().',
};

/** Whether a file is a composition root of the server or the media process, or picks adapters. */
const isRoot = (file: string) =>
  ['server/services.ts', 'server/runtime/media-process.ts'].includes(file) ||
  file.startsWith('server/adapters/');
const NEEDS_WINDOW = /^(flatpickr|hls\.js)(\/|$)/;
const isStyle = (target: string) => target.endsWith('.css');
/** Markdown is served as it is, and nothing in it runs. */
const isText = (target: string) => target.endsWith('.md');

/** Returns every import that breaks a rule by its path alone. The other rules are in files of their own. */
export function findViolations(sources: Source[]): Violation[] {
  return sources.flatMap(({ file, imports }) =>
    imports.flatMap((one) => {
      const rule = violatedRule(file, one);
      return rule ? [violation(rule, file, one.target)] : [];
    }),
  );
}

export const violation = (rule: number, file: string, target: string): Violation => ({
  rule,
  file,
  target,
  sentence: SENTENCES[rule] ?? '',
});

function violatedRule(file: string, { target, isPackage, isDynamic }: Import): number | null {
  const from = layerOf(file);
  if (from.kind === 'outside' || isText(target)) return null;
  if (isPackage) {
    if (from.kind === 'contract') return 1;
    if (from.kind === 'schemas') return target === 'elysia' ? null : 1;
    return NEEDS_WINDOW.test(target) && !isDynamic && !isStyle(target) ? 7 : null;
  }
  const to = layerOf(target);
  if (to.kind === 'outside' && target.includes('/')) return 10;
  if (to.kind === 'platform' && to.isAdapter && !sharesModule(from, to)) {
    return isRoot(file) ? null : 6;
  }
  return violatedLayerRule(file, from, target, to);
}

function violatedLayerRule(file: string, from: Layer, target: string, to: Layer): number | null {
  switch (from.kind) {
    case 'contract':
      return to.kind === 'contract' ? null : 1;
    case 'schemas':
      return ['schemas', 'contract'].includes(to.kind) ? null : 1;
    case 'platform':
      return ['platform', 'contract', 'errors'].includes(to.kind) ? null : 2;
    case 'web':
      return ['web', 'contract', 'errors', 'islands'].includes(to.kind) ? null : 3;
    case 'islands':
      return ['islands', 'contract'].includes(to.kind) ? null : 4;
    case 'media':
      return ['media', 'contract'].includes(to.kind) ? null : 5;
    case 'feature':
      if (to.kind === 'islands') return isPage(file) ? null : 4;
      return isOpenToFeature(from.name, target, to) ? null : 3;
    default:
      return to.kind === 'islands' ? 4 : null;
  }
}

function isOpenToFeature(name: string, target: string, to: Layer) {
  if (to.kind !== 'feature')
    return ['platform', 'contract', 'schemas', 'errors', 'web'].includes(to.kind);
  return to.name === name || (isBelow(name, to.name) && isEntryFile(target));
}

const isPage = (file: string) => file.endsWith('.tsx');
const sharesModule = (from: Layer, to: Layer) =>
  from.kind === 'platform' && to.kind === 'platform' && from.module === to.module;
