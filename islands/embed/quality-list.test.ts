import { expect, test } from 'bun:test';
import { countResolutions, QualityList } from './quality-list.ts';

const quality = (height: number) => ({
  id: `${height}`,
  width: (height * 16) / 9,
  height,
  bitrate: height * 1000,
});

test('holds what it was given, by index and in order, and nothing of before', () => {
  const list = new QualityList();
  list.replace([quality(720), quality(360), quality(180)]);
  list.replace([quality(360)]);
  expect([...list]).toEqual([quality(360)]);
  expect([list.length, list[0]?.id, list[1]]).toEqual([1, '360', undefined]);
});

test('tells a choice once, and the player chooses until there is one', () => {
  const list = new QualityList();
  let changes = 0;
  list.replace([quality(720), quality(360)]);
  list.addEventListener('change', () => {
    changes += 1;
  });
  expect(list.selectedIndex).toBe(-1);
  list.selectedIndex = 1;
  list.selectedIndex = 1;
  expect(changes).toBe(1);
});

test('a chosen size stays chosen when other sizes come, and falls back to the player’s choice without it', () => {
  const list = new QualityList();
  list.replace([quality(360)]);
  list.selectedIndex = 0;
  list.replace([quality(720), quality(360)]);
  expect(list.selectedIndex).toBe(1);
  list.replace([quality(720)]);
  expect(list.selectedIndex).toBe(-1);
});

test('sizes of a master playlist are counted once each', () => {
  expect(countResolutions('#EXTM3U\n')).toBe(0);
  const line = '#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=640x360\nx\n';
  expect(countResolutions(line + line + line.replace('640x360', '320x180'))).toBe(2);
});
