/** Bytes of a file, from `offset`. */
export type ByteRange = { length: number; offset: number };

export type MediaSegment = {
  uri: string;
  /** Seconds. */
  duration: number;
  range?: ByteRange;
};

export type MediaPlaylist = {
  /** Name of the initialization section. */
  init: string;
  segments: MediaSegment[];
  /** Each segment is one key frame, and lasts until the next (RFC 8216, 4.3.3.6). */
  isIFramesOnly?: boolean;
};

/** RFC 8216, 4.3.3.1: no segment is longer, "rounded to the nearest integer". Whole seconds. */
export function targetDuration(segments: { duration: number }[]): number {
  return Math.max(1, ...segments.map(({ duration }) => Math.round(duration)));
}

/** A complete media playlist of RFC 8216, 4.3.3. */
export function mediaPlaylist({ init, segments, isIFramesOnly = false }: MediaPlaylist): string {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${targetDuration(segments)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    isIFramesOnly ? '#EXT-X-I-FRAMES-ONLY' : '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-MAP:URI="${init}"`,
  ];
  for (const { uri, duration, range } of segments) {
    lines.push(`#EXTINF:${duration.toFixed(6)},`);
    if (range) lines.push(`#EXT-X-BYTERANGE:${range.length}@${range.offset}`);
    lines.push(uri);
  }
  return `${[...lines, '#EXT-X-ENDLIST'].join('\n')}\n`;
}
