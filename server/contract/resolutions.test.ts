import { describe, expect, test } from 'bun:test';
import { parseSize, suggestResolutions } from './resolutions.ts';

describe('suggestions', () => {
  const cases: [string, string[] | null][] = [
    ['1920x1080', ['1920x1080', '1280x720', '854x480', '640x360', '426x240']],
    ['3840x2160', ['1920x1080', '1280x720', '854x480', '640x360', '426x240']],
    ['1280x720', ['1280x720', '854x480', '640x360', '426x240']],
    ['1279x719', ['854x480', '640x360', '426x240']],
    ['320x180', []],
    ['1080x1920', ['1080x1920', '720x1280', '480x854', '360x640', '240x426']],
    ['864x1080', ['864x1080', '576x720', '384x480', '288x360', '192x240']],
    ['1080x1350', ['864x1080', '576x720', '384x480', '288x360', '192x240']],
    ['720x480', null],
    ['640x480', null],
    ['1000x1000', null],
    ['1919x1080', ['1280x720', '854x480', '640x360', '426x240']],
  ];
  for (const [source, expected] of cases) {
    test(`for ${source} are ${expected?.join(' ') || (expected ? 'none' : 'not given: the ratio is another')}`, () => {
      const size = parseSize(source);
      expect(size && suggestResolutions(size)).toEqual(expected);
    });
  }

  test('accept a ratio off by 0.01 and no more', () => {
    expect(suggestResolutions({ width: 17_870, height: 10_000 })).not.toBeNull();
    expect(suggestResolutions({ width: 17_890, height: 10_000 })).toBeNull();
  });
});

describe('a size', () => {
  for (const text of [
    '',
    '1280',
    '1280x',
    'x720',
    '1280×720',
    '-1x720',
    '1280x720x2',
    '0x0',
    '9999x9999',
    '1e3x720',
    '12.5x10',
  ]) {
    test(`is not read from '${text}'`, () => expect(parseSize(text)).toBeNull());
  }
  test('is read with white space around it', () => {
    expect(parseSize(' 1280x720 ')).toEqual({ width: 1280, height: 720 });
  });
});
