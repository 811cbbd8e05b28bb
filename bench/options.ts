import { parseArgs } from 'node:util';

/** The parts in their order. soak runs only when it is named, because it takes as long as requested. */
export const PARTS = [
  'server',
  'media',
  'uploads',
  'derivatives',
  'dashboard',
  'admin',
  'soak',
] as const;
export type PartName = (typeof PARTS)[number];

export const HELP = `Usage: npm run bench -- [options] [part …]

Parts: ${PARTS.join(', ')}; without any, all but soak.

  --quick        fewer files and rounds: minutes instead of a quarter of an hour
  --source       measure the sources instead of the built file
  --minutes N    how long soak takes, 60 by default
  --help         print this text
`;

export type Options = { parts: PartName[]; isQuick: boolean; isSource: boolean; minutes: number };

/**
 * Parses the command line; returns null where it requests help. Throws an Error of one line where it is
 * wrong.
 */
export function parseOptions(args: string[]): Options | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      source: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '60' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes takes a number above 0, not '${values.minutes}'.`);
  const named = positionals.map((name) => {
    const part = PARTS.find((one) => one === name);
    if (!part) throw new Error(`There is no part '${name}'.`);
    return part;
  });
  const parts = named.length > 0 ? named : PARTS.filter((name) => name !== 'soak');
  return { parts, isQuick: values.quick, isSource: values.source, minutes };
}
