import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Accounts, suiteSettings } from './settings.ts';

const FOLDER = join(import.meta.dir, 'ceph');
const TESTS = join(FOLDER, 's3tests/functional');
const SETTINGS = 's3tests.conf';

/** Where the server runs whose clients are tested, and whose accounts they use. */
export type Target = {
  url: string;
  accounts: Accounts;
  /** A region in which buckets can be created. */
  region: string;
};

export type Outcome = {
  state: 'passed' | 'failed' | 'skipped';
  seconds: number;
  /** The traceback of a failure; '' for other states. */
  trace: string;
};

/** Ceph's tests of S3, set up for a server. */
export class Suite {
  private constructor(
    private readonly python: string,
    /** A folder for what the suite reads and writes. */
    private readonly folder: string,
  ) {}

  /** @param python the Python that has what the suite needs */
  static async open(python: string, { url, accounts, region }: Target): Promise<Suite> {
    const folder = await mkdtemp(join(tmpdir(), 'wharf-s3-tests-'));
    await Bun.write(join(folder, SETTINGS), suiteSettings(url, accounts, region));
    return new Suite(python, folder);
  }

  /** Returns the names of all tests, such as `test_s3.py::test_bucket_list_empty`. */
  async findTests(): Promise<string[]> {
    const output = await this.runPytest(['--collect-only', '--quiet', TESTS]);
    const tests = [...output.matchAll(/^(?:\S+\/)?(test_\w+\.py::\S.*)$/gm)].flatMap(
      ([, name]) => name ?? [],
    );
    if (tests.length === 0) throw new Error(`pytest found no tests:\n${output}`);
    return tests;
  }

  /**
   * Runs tests, one after another.
   * @param options.isShown whether the progress is printed
   * @returns what came of each, by its name. Throws where pytest itself fails.
   */
  async run(
    tests: readonly string[],
    { isShown = false }: { isShown?: boolean } = {},
  ): Promise<Map<string, Outcome>> {
    const report = join(this.folder, 'report.xml');
    const paths = tests.map((test) => join(TESTS, test));
    const output = await this.runPytest(
      [`--junitxml=${report}`, '--tb=short', '--no-header', '--show-capture=no', ...paths],
      isShown,
    );
    const xml = await readFile(report, 'utf8').catch(() => {
      throw new Error(`pytest wrote no report:\n${output}`);
    });
    return parseReport(xml);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async runPytest(args: string[], isShown = false): Promise<string> {
    const command = [this.python, '-m', 'pytest', '-p', 'no:cacheprovider', ...args];
    const child = Bun.spawn(command, {
      cwd: FOLDER,
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR },
        ...{ PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' },
        S3TEST_CONF: join(this.folder, SETTINGS),
        // Debian's AWS CLI brings a library in C, by which botocore would sign, and which refuses what tests send wrong.
        BOTO_DISABLE_CRT: 'true',
        // The client must not read the settings of the person who runs it, or ask a cloud's machine for a key.
        ...{ AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' },
        ...{ AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
      },
      stdin: 'ignore',
      stdout: isShown ? 'inherit' : 'pipe',
      stderr: 'pipe',
    });
    const [output, errors] = await Promise.all([
      isShown ? '' : new Response(child.stdout as ReadableStream).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return output + errors;
  }
}

/** Returns what a JUnit report of pytest says about each test. A test also fails where its set-up or its end does. */
export function parseReport(xml: string): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const [, attributes = '', body = ''] of xml.matchAll(
    /<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs,
  )) {
    const attribute = (name: string) =>
      decodeXml(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
    const file = attribute('classname').split('.').at(-1);
    const name = `${file}.py::${attribute('name')}`;
    const [, trace = ''] = /<(?:failure|error)[^>]*>(.*?)<\/(?:failure|error)>/s.exec(body) ?? [];
    const hasFailed = /<(failure|error)/.test(body) || outcomes.get(name)?.state === 'failed';
    outcomes.set(name, {
      state: hasFailed ? 'failed' : body.includes('<skipped') ? 'skipped' : 'passed',
      seconds: Number(attribute('time')),
      trace: decodeXml(trace) || (outcomes.get(name)?.trace ?? ''),
    });
  }
  return outcomes;
}

const decodeXml = (text: string): string =>
  text
    .replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex, decimal) =>
      String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
