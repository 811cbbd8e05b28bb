import { expect, test } from 'bun:test';
import { findRefusal, refusalOf, toFill } from './access.ts';

const uid = process.getuid?.() ?? 0;
const gid = process.getgid?.() ?? 0;
const systemError = (code: string, syscall: string, path: string) =>
  Object.assign(new Error(code), { code, syscall, path });

test('a folder that can not be made is made by root for this user, with its name quoted for a shell', () => {
  expect(refusalOf(systemError('EACCES', 'mkdir', "/srv/Ada's files"))).toEqual({
    text: `/srv/Ada's files can't be created by user ${uid}`,
    remedy: `As root, run: install -d -m 700 -o ${uid} -g ${gid} '/srv/Ada'\\''s files'`,
  });
});

test('a file that can not be made is about the folder that exists above it', () => {
  expect(refusalOf(systemError('EACCES', 'open', '/nothing/here/file'))?.text).toBe(
    `/ can't be used by user ${uid}`,
  );
});

test('other errors are not about permissions', () => {
  expect(refusalOf(systemError('ENOSPC', 'write', '/srv'))).toBeNull();
  expect(refusalOf(Object.assign(new Error('kill EPERM'), { code: 'EPERM' }))).toBeNull();
  expect(findRefusal([toFill('/nothing/here'), toFill(import.meta.path)], '/')).toBeNull();
});
