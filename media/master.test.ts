import { describe, expect, test } from 'bun:test';
import { averageBandwidth, masterPlaylist, peakBandwidth } from './master.ts';
import { parseSegmentList } from './segment-list.ts';

const size = { width: 640, height: 360 };
const rate = { frames: 30_000, seconds: 1001 };

test('a variant says what a player needs to choose it', () => {
  const segments = [
    { duration: 6, bytes: 60_000 },
    { duration: 6, bytes: 120_000 },
  ];
  const codecs = ['avc1.64001e', 'mp4a.40.2'];
  const uri = '640x360/playlist.m3u8';
  expect(masterPlaylist([{ uri, size, rate, codecs, targetDuration: 6, segments }])).toBe(
    [
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-STREAM-INF:BANDWIDTH=160000,AVERAGE-BANDWIDTH=120000,RESOLUTION=640x360,FRAME-RATE=29.970,CODECS="avc1.64001e,mp4a.40.2"',
      '640x360/playlist.m3u8',
      '',
    ].join('\n'),
  );
});

describe('peak bandwidth', () => {
  test('a short last segment does not count alone', () => {
    const segments = [
      { duration: 6, bytes: 6000 },
      { duration: 0.1, bytes: 5000 },
    ];
    expect(peakBandwidth(segments, 6)).toBe(Math.ceil((11_000 * 8) / 6.1));
  });

  test('is never below the average', () => {
    const segments = [{ duration: 0.2, bytes: 1000 }];
    expect(peakBandwidth(segments, 1)).toBe(40_000);
    expect(averageBandwidth(segments)).toBe(40_000);
  });

  test('of twelve hours is found at once', () => {
    const segments = Array.from({ length: 7200 }, () => ({ duration: 6, bytes: 6000 }));
    const start = performance.now();
    expect(peakBandwidth(segments, 6)).toBe(8000);
    expect(performance.now() - start).toBeLessThan(500);
  });
});

test('a segment list is read', () => {
  const text =
    '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:6.006000,\nseg_00000.m4s\n#EXTINF:1.5,\r\nseg_00001.m4s\n#EXT-X-ENDLIST\n';
  expect(parseSegmentList(text)).toEqual({
    targetDuration: 6,
    init: 'init.mp4',
    segments: [
      { uri: 'seg_00000.m4s', duration: 6.006 },
      { uri: 'seg_00001.m4s', duration: 1.5 },
    ],
  });
});

test('a list without segments is a video without pictures', () => {
  expect(() => parseSegmentList('#EXTM3U\n#EXT-X-ENDLIST\n')).toThrow('No picture');
});
