import { expect, test } from 'bun:test';
import { judge } from './judge.ts';
import { parseLeftOut, readLeftOut } from './left-out.ts';
import { type Outcome, parseReport } from './suite.ts';

const passed: Outcome = { state: 'passed', seconds: 1, trace: '' };
const failed: Outcome = { state: 'failed', seconds: 1, trace: 'assert 1 == 2' };

const LIST = `# Tests that are left out

Text.

## No passwords

- test_s3.py::test_a
- test_s3.py::test_b[1-2]

## Depends on the client: an older one

- test_headers.py::test_c
`;

test('the list names tests below the reason why they are left out', () => {
  expect(parseLeftOut(LIST)).toEqual([
    {
      reason: 'No passwords',
      dependsOnClient: false,
      tests: ['test_s3.py::test_a', 'test_s3.py::test_b[1-2]'],
    },
    {
      reason: 'Depends on the client: an older one',
      dependsOnClient: true,
      tests: ['test_headers.py::test_c'],
    },
  ]);
});

test('a list that names a test twice, or without a reason, is refused', () => {
  expect(() => parseLeftOut(`${LIST}- test_s3.py::test_a\n`)).toThrow('twice');
  expect(() => parseLeftOut('- test_s3.py::test_a\n')).toThrow('No heading');
});

test('the list of the project can be read, and each reason has tests', async () => {
  const groups = await readLeftOut();
  expect(groups.length).toBeGreaterThan(0);
  expect(groups.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

test('a run is true to the list where what is left out fails, and all else passes', () => {
  const leftOut = parseLeftOut(LIST);
  const all = ['test_s3.py::test_a', 'test_s3.py::test_b[1-2]', 'test_headers.py::test_c', 'd'];
  const run = { all, chosen: all, leftOut };
  const [a, b, c] = [all[0] ?? '', all[1] ?? '', all[2] ?? ''];
  const good = new Map([...[a, b, c].map((one) => [one, failed] as const), ['d', passed]]);
  expect(judge({ ...run, outcomes: good })).toEqual({
    ...{ passed: 1, expected: 1, unexpected: [], recovered: [], unknown: [], isTrue: true },
  });
  const newerClient = new Map([...good, [c, passed]]);
  expect(judge({ ...run, outcomes: newerClient })).toMatchObject({ passed: 2, isTrue: true });
});

test('a name on the list without parameters is of all runs of the test', () => {
  const leftOut = parseLeftOut('## Why\n\n- test_s3.py::test_p\n');
  const all = ['test_s3.py::test_p[1]', 'test_s3.py::test_p[2-3]'];
  const outcomes = new Map(all.map((test) => [test, failed] as const));
  expect(judge({ all, chosen: all, leftOut, outcomes })).toMatchObject({
    ...{ expected: 0, unexpected: [], unknown: [], isTrue: true },
  });
});

test('a run says which tests failed, passed or are unknown against the list', () => {
  const leftOut = parseLeftOut(LIST);
  const [a, b] = ['test_s3.py::test_a', 'test_s3.py::test_b[1-2]'];
  const outcomes = new Map([
    [a, passed],
    ['d', failed],
  ]);
  expect(judge({ all: [a, b, 'd', 'e'], chosen: [a, b, 'd', 'e'], leftOut, outcomes })).toEqual({
    passed: 1,
    expected: 2,
    unexpected: [
      { test: 'd', trace: 'assert 1 == 2' },
      { test: 'e', trace: 'It did not run.' },
    ],
    recovered: [{ test: a, reason: 'No passwords' }],
    unknown: ['test_headers.py::test_c'],
    isTrue: false,
  });
});

test('a test fails where the test, its set-up or its end fails', () => {
  const xml = `<testsuites><testsuite name="pytest">
<testcase classname="s3tests.functional.test_s3" name="test_a" time="0.5" />
<testcase classname="s3tests.functional.test_s3" name="test_b[&lt;1&gt;]" time="1"><failure message="x">E &#10; a &amp; b</failure></testcase>
<testcase classname="s3tests.functional.test_headers" name="test_c" time="2" />
<testcase classname="s3tests.functional.test_headers" name="test_c" time="2"><error message="failed on teardown">gone</error></testcase>
<testcase classname="s3tests.functional.test_headers" name="test_d" time="0"><skipped message="y">later</skipped></testcase>
</testsuite></testsuites>`;
  expect(Object.fromEntries(parseReport(xml))).toEqual({
    'test_s3.py::test_a': { state: 'passed', seconds: 0.5, trace: '' },
    'test_s3.py::test_b[<1>]': { state: 'failed', seconds: 1, trace: 'E \n a & b' },
    'test_headers.py::test_c': { state: 'failed', seconds: 2, trace: 'gone' },
    'test_headers.py::test_d': { state: 'skipped', seconds: 0, trace: '' },
  });
});
