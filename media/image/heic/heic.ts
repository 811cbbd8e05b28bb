import type { Size } from '../../../server/contract/media.ts';
import { permanentFailure } from '../../media-failure.ts';
import { damaged, isDamaged } from '../../strip-metadata/random-access.ts';
import { checkMemory, heicBytes, isOutOfMemory, tooMuchMemory } from '../memory.ts';
import { TiffFile } from '../tiff.ts';
import { HeicFile, type TilePlace } from './heic-file.ts';
import { mayLackBlocks, missingBlocks } from './missing-blocks.ts';

/** A photo of 48 megapixels has 192. The index of a file is read for each. */
const MAX_TILES = 1024;

/**
 * Decodes the main image of a HEIC file to a new local file, a TIFF. What the file lacks is black in it.
 * `check` gets the size, as it is shown, before anything is decoded. Throws a permanent MediaFailure for an
 * unreadable file and for one that needs more than `memoryBytes`, and what `check` throws.
 */
export async function decodeHeic(
  from: string,
  to: string,
  check: (size: Size) => void,
  memoryBytes = Number.POSITIVE_INFINITY,
): Promise<{ isDamaged: boolean }> {
  try {
    return writeTiles(await HeicFile.open(from), to, check, memoryBytes);
  } catch (error) {
    if (isDamaged(error) && isOutOfMemory(String((error as Error).cause)))
      throw tooMuchMemory(error);
    throw error;
  } finally {
    // The memory of WebAssembly is large, and would stay until much more of it was used.
    Bun.gc(true);
  }
}

function writeTiles(file: HeicFile, to: string, check: (size: Size) => void, memoryBytes: number) {
  const { size, area, tiles, ...picture } = file.info();
  check(size);
  if (area.width < 1 || area.height < 1) throw damaged(new Error('Nothing is left of the image.'));
  check(area);
  checkMemory({ decodingBytes: heicBytes(tiles) }, memoryBytes);
  if (tiles.across * tiles.down > MAX_TILES)
    throw permanentFailure('The image has too many tiles.');
  const tiff = new TiffFile(to, { ...picture, width: area.width, height: area.height });
  try {
    const places = Array.from({ length: tiles.across * tiles.down }, (_, at) => ({
      column: at % tiles.across,
      row: Math.floor(at / tiles.across),
    }));
    const lost = places.map((place) => {
      const left = place.column * tiles.width - area.left;
      const top = place.row * tiles.height - area.top;
      return writeTile(file, place, tiff, { left, top });
    });
    const pixels = tiles.width * tiles.height;
    if (lost.every(({ missing = pixels }) => missing === pixels)) throw damaged(lost[0]?.error);
    return { isDamaged: lost.some(({ missing }) => missing !== 0) };
  } finally {
    tiff.close();
  }
}

/**
 * Writes a tile, and black where the file lacks a block of it. Returns how many pixels it lacks, or why the
 * tile could not be decoded at all.
 */
function writeTile(
  file: HeicFile,
  place: TilePlace,
  tiff: TiffFile,
  { left, top }: { left: number; top: number },
): { missing?: number; error?: unknown } {
  const { channels } = tiff.picture;
  try {
    const pixels = file.pixels(place, channels);
    tiff.write(pixels, { left, top });
    if (!mayLackBlocks(pixels, channels)) return { missing: 0 };
    const blocks = missingBlocks(pixels, file.colours(place));
    for (const block of blocks) {
      const stride = block.width * channels;
      const black = { ...block, stride, data: new Uint8Array(stride * block.height) };
      tiff.write(black, { left: left + block.left, top: top + block.top });
    }
    return { missing: blocks.reduce((sum, { width, height }) => sum + width * height, 0) };
  } catch (error) {
    if (isDamaged(error)) return { error };
    throw error;
  }
}
