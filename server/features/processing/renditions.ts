import { type MediaResult, RENDITION_PLAYLIST } from '../../contract/media.ts';
import { parseSize } from '../../contract/resolutions.ts';
import type { RenditionWire } from '../../contract/wire.ts';
import type { Rendition } from '../media/service.ts';

/**
 * Returns the renditions of a published file. `originalBytes` is how many bytes of the upload are
 * kept.
 */
export function renditionsOf(result: MediaResult, originalBytes: number): Rendition[] {
  const renditions = new Map<string, Rendition>();
  for (const { name, size } of result.objects) {
    const rendition =
      renditions.get(groupOf(name, result)) ?? emptyGroup(groupOf(name, result), result);
    rendition.bytes += size;
    renditions.set(rendition.name, rendition);
  }
  const sorted = [...renditions.values()].sort((a, b) => area(b) - area(a));
  return originalBytes > 0
    ? [...sorted, { ...NOTHING, name: 'original', bytes: originalBytes }]
    : sorted;
}

/** Returns the renditions of a file's row as the API shows them; null where an earlier version has not stored them. */
export function renditionWires(
  stored: string | null,
  urlOf: (entry: string | null) => string | null,
): RenditionWire[] | null {
  const renditions: Rendition[] | null = stored === null ? null : JSON.parse(stored);
  return (
    renditions?.map(({ entry, ...rendition }) => ({ ...rendition, url: urlOf(entry) })) ?? null
  );
}

const NOTHING = { width: null, height: null, bytes: 0, entry: null };

function groupOf(object: string, result: MediaResult): string {
  const [folder = '', below] = object.split('/');
  if (object === result.previews) return 'previews';
  if (below !== undefined) return folder;
  if (object === result.poster) return 'poster';
  return object.endsWith('.m3u8') ? 'playlists' : 'delivered';
}

function emptyGroup(name: string, result: MediaResult): Rendition {
  const size = parseSize(name);
  if (size) return { ...NOTHING, name, ...size, entry: `${name}/${RENDITION_PLAYLIST}` };
  if (/^audio(-\d+)?$/.test(name))
    return { ...NOTHING, name, entry: `${name}/${RENDITION_PLAYLIST}` };
  if (name === 'previews') return { ...NOTHING, name, entry: result.previews ?? null };
  if (name === 'poster') return { ...NOTHING, name, entry: result.poster ?? null };
  const { width, height, entry } = result;
  return name === 'delivered'
    ? { name, width, height, bytes: 0, entry }
    : { ...NOTHING, name, entry };
}

const area = ({ width, height }: Rendition) => (width ?? 0) * (height ?? 0);
