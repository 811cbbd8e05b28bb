import { describe, expect, test } from 'bun:test';
import { upstreamUnavailable } from '../errors.ts';
import { messageOf, OperatorError } from './operator-error.ts';

describe('what the program ends with', () => {
  test('is the sentence alone where it was written for whoever runs it', () => {
    expect(messageOf(new OperatorError('PORT is wrong.'))).toBe('PORT is wrong.');
  });

  test('says beside a server that does not answer what the network said', () => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:5432');
    expect(messageOf(upstreamUnavailable(cause, 'The database does not answer.', 1000))).toBe(
      'The database does not answer. connect ECONNREFUSED 127.0.0.1:5432',
    );
  });

  test('is one line on a full disk, which is too full for a lock even', () => {
    for (const code of ['SQLITE_FULL', 'ENOSPC']) {
      const full = Object.assign(new Error('database or disk is full'), { code });
      expect(messageOf(full)).toBe('The disk is full. Free up space for DATA_DIR and start again.');
    }
  });

  test('is one line where SQLite can not use its file', () => {
    const damaged = Object.assign(new Error('file is not a database'), { code: 'SQLITE_NOTADB' });
    expect(messageOf(damaged)).toBe('SQLite: file is not a database. Check DATA_DIR and its disk.');
  });

  test('is the stack of what nobody thought of', () => {
    expect(messageOf(new TypeError('undefined is not a function'))).toContain(
      'operator-error.test.ts',
    );
  });
});
