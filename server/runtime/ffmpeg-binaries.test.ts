import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFfmpegBinaries } from './ffmpeg-binaries.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function folderWith(...names: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'wharf-tools-'));
  folders.push(folder);
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\n');
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

test('ffmpeg and ffprobe are found in a folder, or beside the binary that is named', () => {
  const folder = folderWith('ffmpeg', 'ffprobe');
  const both = { ffmpeg: join(folder, 'ffmpeg'), ffprobe: join(folder, 'ffprobe') };
  expect(findFfmpegBinaries(folder)).toEqual(both);
  expect(findFfmpegBinaries(join(folder, 'ffmpeg'))).toEqual(both);
});

test('one without the other is as good as none', () => {
  expect(findFfmpegBinaries(folderWith('ffmpeg'))).toBeNull();
  expect(findFfmpegBinaries(folderWith('ffprobe'))).toBeNull();
  expect(findFfmpegBinaries('/nowhere')).toBeNull();
});
