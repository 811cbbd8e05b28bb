import { expect, test } from 'bun:test';
import { withToken } from './playlists.ts';

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

test('a token can not break out of the attribute or the line it stands in', () => {
  const made = withToken('#EXT-X-MAP:URI="init.mp4"\nseg.m4s', 'x"\nhttp://elsewhere/');
  expect(made).not.toContain('http://elsewhere');
  expect(made.split('\n')).toHaveLength(2);
});
