import { expect, test } from 'bun:test';
import { withToken, withTokenInCues } from './playlists.ts';

test('the token goes on every URI of a playlist and on nothing else', () => {
  const playlist = [
    '#EXTM3U',
    '#EXT-X-MAP:URI="init.mp4",BYTERANGE="1@0"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="uri",URI="audio/playlist.m3u8?x=1"',
    '#EXTINF:6.0,',
    'seg_00000.m4s',
    '',
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
  expect(withToken(playlist, 'a.b+c')).toBe(
    [
      '#EXTM3U',
      '#EXT-X-MAP:URI="init.mp4?jwt=a.b%2Bc",BYTERANGE="1@0"',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="uri",URI="audio/playlist.m3u8?x=1&jwt=a.b%2Bc"',
      '#EXTINF:6.0,',
      'seg_00000.m4s?jwt=a.b%2Bc',
      '',
      '#EXT-X-ENDLIST',
      '',
    ].join('\n'),
  );
});

test('the key frames’ playlist of a master is tokened like any other', () => {
  const line = '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="640x360/iframes.m3u8"';
  expect(withToken(line, 't')).toBe(line.replace('iframes.m3u8', 'iframes.m3u8?jwt=t'));
});

test('the token goes on every picture of the previews, in front of its part', () => {
  const cues = [
    'WEBVTT',
    '',
    'NOTE sheets#are below',
    '',
    'first',
    '00:00:00.000 --> 00:00:02.000',
    'previews/sheet_000.webp#xywh=0,0,160,90',
    '',
    '00:00:02.000 --> 00:00:04.000 line:0',
    'previews/sheet_000.webp?x=1#xywh=160,0,160,90',
    '',
    '00:00:04.000 --> 00:00:06.000',
    'poster.webp',
    '',
  ];
  const expected = cues.map((line) =>
    line
      .replace('.webp#', '.webp?jwt=a.b%2Bc#')
      .replace('?x=1#', '?x=1&jwt=a.b%2Bc#')
      .replace(/^poster.webp$/, 'poster.webp?jwt=a.b%2Bc'),
  );
  expect(withTokenInCues(cues.join('\n'), 'a.b+c')).toBe(expected.join('\n'));
});

test('a token can not add a cue or end its line', () => {
  const cues = 'WEBVTT\n\n00:00.000 --> 00:02.000\na.webp#xywh=0,0,1,1\n';
  const tokenized = withTokenInCues(cues, 'x\n\n00:02.000 --> 00:04.000\nhttp://elsewhere/#');
  expect(tokenized.split('\n')).toHaveLength(5);
  expect(tokenized).not.toContain('http://');
});

test('a token can not break out of the attribute or the line it stands in', () => {
  const playlist = withToken('#EXT-X-MAP:URI="init.mp4"\nseg.m4s', 'x"\nhttp://elsewhere/');
  expect(playlist).not.toContain('http://elsewhere');
  expect(playlist.split('\n')).toHaveLength(2);
});
