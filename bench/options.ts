import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The parts in their order. */
export const PARTS = [
  'server',
  'media',
  'uploads',
  'transforms',
  'dashboard',
  'admin',
  'files',
  's3',
  'scale',
  'soak',
] as const;
export type PartName = (typeof PARTS)[number];
/** These run only when they are named, because they take as long as requested, or up to half an hour. */
const ONLY_WHEN_NAMED: readonly PartName[] = ['files', 's3', 'scale', 'soak'];

export const HELP = `Usage: npm run bench -- [options] [part …]

Parts: ${PARTS.join(', ')}; without any, all but ${ONLY_WHEN_NAMED.join(', ')}.

  --quick        fewer files and rounds: minutes instead of a quarter of an hour
  --source       measure the sources instead of the built file
  --program PATH another built file that server and scale measure too, to compare with
  --minutes N    how long soak takes, 60 by default, and long work of scale at most, 30 by default
  --files N      files in the big bucket of files, s3 and scale, 1000000 by default
  --postgres     measure scale on PostgreSQL instead of SQLite
  --slow-disk    add 20 ms to each fsync in scale
  --help         print this text
`;

export type Options = {
  parts: PartName[];
  isQuick: boolean;
  isSource: boolean;
  minutes: number;
  /** The absolute path of a program to compare with; null without one. */
  program: string | null;
  scale: ScaleOptions;
};
/** What scale takes, and of which files and s3 take `files`, which is null where it was not given. */
export type ScaleOptions = {
  files: number | null;
  isOnPostgres: boolean;
  isSlowDisk: boolean;
};

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
      files: { type: 'string' },
      program: { type: 'string' },
      postgres: { type: 'boolean', default: false },
      'slow-disk': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const minutes = positive('minutes', values.minutes);
  const named = positionals.map((name) => {
    const part = PARTS.find((one) => one === name);
    if (!part) throw new Error(`There is no part '${name}'.`);
    return part;
  });
  const parts = named.length > 0 ? named : PARTS.filter((name) => !ONLY_WHEN_NAMED.includes(name));
  const scale = {
    files: values.files === undefined ? null : Math.ceil(positive('files', values.files)),
    isOnPostgres: values.postgres,
    isSlowDisk: values['slow-disk'],
  };
  // Servers run in folders of their own, where a relative path would lead elsewhere.
  const program = values.program === undefined ? null : resolve(values.program);
  return { parts, isQuick: values.quick, isSource: values.source, minutes, program, scale };
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0, not '${text}'.`);
  return number;
}
