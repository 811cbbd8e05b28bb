import { refused } from './failure.ts';

export type SegmentList = {
  /** Whole seconds. */
  targetDuration: number;
  /** Name of the init segment. */
  init: string;
  /** Duration in seconds. */
  segments: { uri: string; duration: number }[];
};

/**
 * Reads a media playlist as our ffmpeg writes it (RFC 8216, 4.3.2 and 4.3.3). Throws a permanent
 * MediaFailure where it lists no segment: no frame could be decoded.
 */
export function parseSegmentList(text: string): SegmentList {
  const list: SegmentList = { targetDuration: 0, init: '', segments: [] };
  let duration = 0;
  for (const line of text.split(/\r?\n/)) {
    const [tag = '', value = ''] = split(line);
    if (tag === '#EXT-X-TARGETDURATION') list.targetDuration = Number(value);
    else if (tag === '#EXT-X-MAP') list.init = /URI="([^"]*)"/.exec(value)?.[1] ?? '';
    else if (tag === '#EXTINF') duration = Number.parseFloat(value);
    else if (line !== '' && !line.startsWith('#')) list.segments.push({ uri: line, duration });
  }
  if (list.segments.length === 0) throw refused('No picture of the video could be decoded.');
  return list;
}

function split(line: string): [string, string] {
  const colon = line.indexOf(':');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)];
}
