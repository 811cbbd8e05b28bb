import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBoto3 } from './setup/boto3.mjs';
import { buildAssets, buildProgram, bunPath, installDependencies } from './setup/bun.mjs';
import { ensureTestPrograms } from './setup/ensure-test-programs.mjs';
import { runProgram } from './setup/problem.mjs';
import { TEST_PROGRAMS } from './setup/test-programs.mjs';

const HELP = `Usage: npm run test:s3 [-- [WORD…] [--postgres] [--s3-storage] [--ceph] [--boto3] [--expected] [--part] [--trace] [--source]]

Runs Ceph's tests of S3 against Wharf on SQLite and the disk.

  WORD          run only the tests whose name has one of these words
  --postgres    run Wharf on PostgreSQL
  --s3-storage  store Wharf's files in Ceph's S3 server
  --ceph        run the tests against Ceph's S3 server instead of Wharf, to compare
  --boto3       install a newer boto3 than Debian's from PyPI, which sends what that one can't
  --expected    leave out the tests of the list in tests/s3/left-out.md
  --part        run the part of them that npm test runs
  --trace       print why tests failed
  --source      run the sources, without building the program
`;
/** What the tests need beside Wharf. */
const PROGRAMS = ['ffmpeg', "Ceph's tests of S3"];

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = readArguments();

await runProgram(async () => {
  installDependencies(root);
  const names = [
    ...PROGRAMS,
    ...(values.postgres ? ['PostgreSQL'] : []),
    ...(values.ceph || values['s3-storage'] ? ['Ceph'] : []),
  ];
  const programs = TEST_PROGRAMS.filter(({ name }) => names.includes(name));
  const { missing } = await ensureTestPrograms(root, { programs });
  if (missing.length > 0) {
    process.exitCode = 1;
    return;
  }
  const env = { ...process.env };
  if (values.postgres) env.WHARF_TEST_ENGINE = 'postgres';
  if (values.boto3) env.WHARF_S3_TEST_PYTHON = ensureBoto3(root);
  if (values['s3-storage']) env.WHARF_TEST_STORAGE = 's3';
  if (!values.ceph) {
    buildAssets(root);
    if (!values.source) env.WHARF_PROGRAM = buildProgram(root);
  }
  const passed = /** @type {const} */ (['ceph', 'expected', 'part', 'trace'])
    .filter((name) => values[name])
    .map((name) => `--${name}`);
  const parameters = ['tests/s3/run.ts', ...passed, '--', ...positionals];
  const { status } = spawnSync(bunPath(root), parameters, { cwd: root, env, stdio: 'inherit' });
  process.exitCode = status ?? 1;
});

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        postgres: { type: 'boolean', default: false },
        's3-storage': { type: 'boolean', default: false },
        ceph: { type: 'boolean', default: false },
        boto3: { type: 'boolean', default: false },
        expected: { type: 'boolean', default: false },
        part: { type: 'boolean', default: false },
        trace: { type: 'boolean', default: false },
        source: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (!parsed.values.help) return parsed;
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    process.exit(2);
  }
}
