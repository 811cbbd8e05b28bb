import { describe, expect, test } from 'bun:test';
import { averageBandwidth, masterPlaylist, mediaPlaylist, peakBandwidth } from './playlists.ts';

const segments = [
  { duration: 6, bytes: 60_000 },
  { duration: 6, bytes: 120_000 },
];
const variant = {
  uri: '640x360/playlist.m3u8',
  size: { width: 640, height: 360 },
  rate: { frames: 30_000, seconds: 1001 },
  codec: 'avc1.64001e',
  segments,
  keyFrames: {
    uri: '640x360/iframes.m3u8',
    segments: [
      { duration: 2, bytes: 1000 },
      { duration: 2, bytes: 4000 },
    ],
  },
};
const sound = {
  uri: 'audio/playlist.m3u8',
  codec: 'mp4a.40.2',
  channels: 2,
  segments: [{ duration: 12, bytes: 15_000 }],
  ...{ name: 'English', language: 'en', isCommentary: false },
};

test('a variant says what a player needs to choose it, and counts the sound beside it', () => {
  expect(masterPlaylist([variant], [sound])).toBe(
    [
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio/playlist.m3u8"',
      '#EXT-X-STREAM-INF:BANDWIDTH=170000,AVERAGE-BANDWIDTH=130000,RESOLUTION=640x360,FRAME-RATE=29.970,CODECS="avc1.64001e,mp4a.40.2",VIDEO-RANGE=SDR,AUDIO="audio",CLOSED-CAPTIONS=NONE',
      '640x360/playlist.m3u8',
      '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=16000,AVERAGE-BANDWIDTH=10000,RESOLUTION=640x360,CODECS="avc1.64001e",VIDEO-RANGE=SDR,URI="640x360/iframes.m3u8"',
      '',
    ].join('\n'),
  );
});

test('several sounds have their languages and names, and the first is the default', () => {
  const segments = [{ duration: 12, bytes: 30_000 }];
  const commentary = {
    ...sound,
    segments,
    uri: 'audio-2/playlist.m3u8',
    name: 'Director',
    isCommentary: true,
  };
  const unknown = { ...sound, uri: 'audio-3/playlist.m3u8', name: 'Audio 3', language: null };
  const text = masterPlaylist([variant], [sound, commentary, unknown]);
  const media = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",';
  expect(text.split('\n').filter((line) => line.startsWith(media))).toEqual([
    `${media}LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio/playlist.m3u8"`,
    `${media}LANGUAGE="en",NAME="Director",DEFAULT=NO,AUTOSELECT=NO,CHANNELS="2",URI="audio-2/playlist.m3u8"`,
    `${media}NAME="Audio 3",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="audio-3/playlist.m3u8"`,
  ]);
  expect(text).toContain('BANDWIDTH=180000,AVERAGE-BANDWIDTH=140000');
});

test('without sound nothing speaks of any', () => {
  const text = masterPlaylist([variant], []);
  expect(text).not.toMatch(/AUDIO|mp4a/);
  expect(text).toContain('BANDWIDTH=160000,AVERAGE-BANDWIDTH=120000');
});

test('a playlist of key frames names byte ranges', () => {
  const range = { length: 700, offset: 24 };
  const text = mediaPlaylist({
    init: 'init.mp4',
    segments: [{ uri: 'seg_00000.m4s', duration: 2.002, range }],
    isIFramesOnly: true,
  });
  expect(text).toBe(
    '#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:2.002000,\n#EXT-X-BYTERANGE:700@24\nseg_00000.m4s\n#EXT-X-ENDLIST\n',
  );
});

describe('peak bandwidth', () => {
  test('a short last segment does not count alone', () => {
    const segments = [
      { duration: 6, bytes: 6000 },
      { duration: 0.1, bytes: 5000 },
    ];
    expect(peakBandwidth(segments)).toBe(Math.ceil((11_000 * 8) / 6.1));
  });

  test('a last segment of a second or more counts alone', () => {
    const segments = [
      { duration: 6, bytes: 6000 },
      { duration: 1, bytes: 5000 },
    ];
    expect(peakBandwidth(segments)).toBe(40_000);
  });

  test('is never below the average', () => {
    const segments = [{ duration: 0.2, bytes: 1000 }];
    expect(peakBandwidth(segments)).toBe(40_000);
    expect(averageBandwidth(segments)).toBe(40_000);
  });

  test('of twelve hours is found at once', () => {
    const segments = Array.from({ length: 7200 }, () => ({ duration: 6, bytes: 6000 }));
    const before = process.cpuUsage();
    expect(peakBandwidth(segments)).toBe(8000);
    // The limit is CPU time in microseconds, because the machine may be busy with other work.
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
