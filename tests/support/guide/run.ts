import { join } from 'node:path';
import type { Sample } from './samples.ts';

const BIN = join(import.meta.dir, '../../../node_modules/.bin');
const MARK = '--- end of sample ---';

/** One line for each mistake: a server's refusal must not pass for an answer. */
const CURLRC = 'silent\nshow-error\nfail-with-body\n';

/**
 * Runs the samples of a page one after the other, as a person would: in one shell, in `folder`, each
 * `.ts` with Bun and with what the shell has set. One that serves runs beside those after it, until
 * it has written as many lines as its page promises. Answers what each of them wrote.
 * Throws with its words when one fails; the samples after it are then not run.
 */
export async function runSamples(
  samples: Sample[],
  folder: string,
  env: Record<string, string> = {},
): Promise<string[]> {
  await Bun.write(join(folder, '.curlrc'), CURLRC);
  for (const [index, { language, code }] of samples.entries()) {
    if (language === 'ts') await Bun.write(join(folder, `sample-${index}.ts`), code);
  }
  const steps = samples.map((sample, index) => `${begin(sample, index)}\necho '${MARK}'\n`);
  const ends = samples.map((sample, index) => `${end(sample, index)}\necho '${MARK}'\n`);
  const shell = Bun.spawn(['bash', '-c', [PREAMBLE, ...steps, ...ends].join('')], {
    cwd: folder,
    env: { PATH: `${BIN}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, status] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ]);
  const said = stdout.split(`${MARK}\n`);
  if (status !== 0) {
    const failed = samples[(said.length - 1) % samples.length];
    throw new Error(`This ended with ${status}:\n${failed?.code}\n${said.at(-1)}\n${stderr}`);
  }
  return samples.map((_, index) => `${said[index]}${said[samples.length + index]}`);
}

/** `settle` is true once the command that follows is; it gives up after 20 seconds. */
const PREAMBLE = `set -euo pipefail -o allexport
settle() { for _ in {1..200}; do "$@" && return; sleep 0.1; done; echo "never: $*" >&2; return 1; }
has_lines() { [ "$(wc -l < "$1")" -ge "$2" ]; }
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
`;

const serves = ({ language, code }: Sample) => language === 'ts' && code.includes('Bun.serve(');

function begin(sample: Sample, index: number): string {
  if (sample.language === 'sh') return sample.code;
  if (!serves(sample)) return `bun sample-${index}.ts`;
  const file = `sample-${index}`;
  return `bun ${file}.ts > ${file}.out 2>&1 &\nsettle has_lines ${file}.out 1`;
}

function end(sample: Sample, index: number): string {
  if (!serves(sample)) return '';
  const lines = (sample.output ?? '').trim().split('\n').length;
  const file = `sample-${index}.out`;
  return `settle has_lines ${file} ${lines} || { cat ${file} >&2; exit 1; }\ncat ${file}`;
}
