import { join } from 'node:path';
import type { Sample } from './samples.ts';

const BIN = join(import.meta.dir, '../../../node_modules/.bin');
const MARK = '--- end of sample ---';

/** Makes curl fail if the server refuses a request, so that a sample can't pass by mistake. */
const CURLRC = 'silent\nshow-error\nfail-with-body\n';

/**
 * Runs the samples of a page in sequence, as a reader would: in one shell in `folder`, and each `.ts`
 * with Bun and the shell's variables. A sample that is a server runs in the background until it has
 * written as many lines as its page shows.
 * Throws the output of a sample that fails, and runs none after it.
 * @returns the output of each sample
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
  const outputs = stdout.split(`${MARK}\n`);
  if (status !== 0) {
    const failed = samples[(outputs.length - 1) % samples.length];
    throw new Error(`This ended with ${status}:\n${failed?.code}\n${outputs.at(-1)}\n${stderr}`);
  }
  return samples.map((_, index) => `${outputs[index]}${outputs[samples.length + index]}`);
}

/** `settle` repeats a command until it succeeds, for at most 20 seconds. */
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
