import type { Size } from '../../../server/contract/media.ts';
import { isDamaged } from '../../strip-metadata/random-access.ts';
import { profileOfNclx } from '../profiles/cicp.ts';
import type { Area, Rows, TiffPicture } from '../tiff.ts';
import { isCrop, widenCrops } from './crop.ts';
import { Libheif } from './libheif.ts';
import { shownPart } from './orientation.ts';
import { readTransformations } from './transformations.ts';

/* Numbers of libheif's interface for C. */
const NATIVE = 99;
const COLOURSPACE_RGB = 1;
const INTERLEAVED_RGB = 10;
const INTERLEAVED_RGBA = 11;
const CHANNEL_INTERLEAVED = 10;
const CHANNELS_OF_COLOURS = [1, 2];
const TILING_WORDS = 18;
/** Where `heif_decoding_options` has `ignore_transformations` and `output_image_nclx_profile_passthrough`. */
const IGNORE_TRANSFORMATIONS = 1;
const KEEP_COLOURS = 69;
/** Where `heif_color_profile_nclx` has its primaries, which the transfer function follows. */
const NCLX_PRIMARIES = 4;

/** What a HEIC file tells about its main image. */
export type HeicInfo = Pick<TiffPicture, 'channels' | 'profile' | 'orientation'> & {
  /** As it is shown. */
  size: Size;
  /** The part of the decoded picture that is shown, before it is turned. */
  area: Area;
  /** How many tiles there are, across and down, and the size of each. One is as large as the image. */
  tiles: Size & { across: number; down: number };
};

/** The place of a tile, counted in tiles. */
export type TilePlace = { column: number; row: number };

/** One of the two planes of colours, with one byte or two for a value. */
export type Plane = Rows & { valueBytes: number };

/**
 * A HEIC file whose main image is decoded tile by tile, each in memory that is as new. libheif turns a tile
 * that is the whole image; others have to be turned together, after they are decoded. What a method returns
 * is valid until the next one is called. Each throws a permanent MediaFailure for what it can't read.
 */
export class HeicFile {
  private hasOneTile = false;
  /** libheif turns what is one tile, but for what is to be cropped; see crop.ts. */
  private isTurnedByLibheif = false;

  private constructor(
    private readonly heif: Libheif,
    private readonly bytes: Uint8Array,
  ) {}

  static async open(path: string): Promise<HeicFile> {
    return new HeicFile(await Libheif.start(), await Bun.file(path).bytes());
  }

  /** Comes before the tiles. */
  info(): HeicInfo {
    const { calls } = this.heif;
    const { context, handle } = this.main();
    const { coded, tiles } = this.tiling(handle);
    const size = {
      width: calls._heif_image_handle_get_width(handle),
      height: calls._heif_image_handle_get_height(handle),
    };
    const transformations = readTransformations(this.heif, context, handle);
    this.hasOneTile = tiles.across * tiles.down === 1;
    this.isTurnedByLibheif = this.hasOneTile && !transformations.some(isCrop);
    const shown = shownPart(coded, transformations);
    if (this.hasOneTile && !this.isTurnedByLibheif) widenCrops(this.bytes, coded);
    return {
      size,
      channels: calls._heif_image_handle_has_alpha_channel(handle) ? 4 : 3,
      profile: this.profile(handle),
      ...(this.isTurnedByLibheif
        ? {
            tiles: { across: 1, down: 1, ...size },
            area: { left: 0, top: 0, ...size },
            orientation: 1,
          }
        : { tiles, ...shown }),
    };
  }

  /** Decodes a tile to interleaved colours. */
  pixels(place: TilePlace, channels: 3 | 4): Rows {
    const chroma = channels === 4 ? INTERLEAVED_RGBA : INTERLEAVED_RGB;
    return this.plane(this.decode(place, COLOURSPACE_RGB, chroma), CHANNEL_INTERLEAVED);
  }

  /** Decodes a tile to the planes of its colours, as the codec has them; none of a picture without colours. */
  colours(place: TilePlace): Plane[] {
    const { calls } = this.heif;
    const image = this.decode(place, NATIVE, NATIVE);
    const present = CHANNELS_OF_COLOURS.filter((one) => calls._heif_image_has_channel(image, one));
    return present.map((channel) => ({
      ...this.plane(image, channel),
      valueBytes: calls._heif_image_get_bits_per_pixel(image, channel) / 8,
    }));
  }

  private main(): { context: number; handle: number } {
    const { heif, bytes } = this;
    const { calls } = heif;
    heif.reset();
    const context = calls._heif_context_alloc();
    const source = heif.allocate(bytes.length);
    heif.from(source).set(bytes);
    heif.call((error) =>
      calls._heif_context_read_from_memory_without_copy(error, context, source, bytes.length, 0),
    );
    const handle = heif.call((error) =>
      calls._heif_context_get_primary_image_handle(error, context, heif.result),
    );
    return { context, handle };
  }

  private tiling(handle: number) {
    const { heif } = this;
    const tiling = heif.allocate(TILING_WORDS * 4);
    heif.call((error) => heif.calls._heif_image_handle_get_image_tiling(error, handle, 0, tiling));
    const [across = 0, down = 0, tileWidth = 0, tileHeight = 0, width = 0, height = 0] = heif
      .words(tiling, TILING_WORDS)
      .slice(1);
    return {
      coded: { width, height },
      tiles: { across, down, width: tileWidth, height: tileHeight },
    };
  }

  private decode({ column, row }: TilePlace, colourspace: number, chroma: number): number {
    const { heif } = this;
    const { calls } = heif;
    const { handle } = this.main();
    const options = calls._heif_decoding_options_alloc();
    heif.from(options)[KEEP_COLOURS] = colourspace === NATIVE ? 1 : 0;
    const how = [handle, heif.result, colourspace, chroma, options] as const;
    heif.from(options)[IGNORE_TRANSFORMATIONS] = this.isTurnedByLibheif ? 0 : 1;
    if (this.hasOneTile) return heif.call((error) => calls._heif_decode_image(error, ...how));
    return heif.call((error) =>
      calls._heif_image_handle_decode_image_tile(error, ...how, column, row),
    );
  }

  private plane(image: number, channel: number): Rows {
    const { heif } = this;
    const { calls } = heif;
    const start = calls._heif_image_get_plane_readonly(image, channel, heif.result);
    return {
      width: calls._heif_image_get_width(image, channel),
      height: calls._heif_image_get_height(image, channel),
      data: heif.from(start),
      stride: heif.word(heif.result),
    };
  }

  /** Returns a copy of an image's ICC profile, or one for its declared colours; null for sRGB. */
  private profile(handle: number): Uint8Array | null {
    const { heif } = this;
    const { calls } = heif;
    const bytes = calls._heif_image_handle_get_raw_color_profile_size(handle);
    if (bytes === 0) return this.declaredProfile(handle);
    const start = heif.allocate(bytes);
    heif.call((error) => calls._heif_image_handle_get_raw_color_profile(error, handle, start));
    return heif.from(start).slice(0, bytes);
  }

  private declaredProfile(handle: number): Uint8Array | null {
    const { heif } = this;
    try {
      const colours = heif.call((error) =>
        heif.calls._heif_image_handle_get_nclx_color_profile(error, handle, heif.result),
      );
      const [primaries = 0, transfer = 0] = heif.words(colours + NCLX_PRIMARIES, 2);
      return profileOfNclx(primaries, transfer);
    } catch (error) {
      // The image declares none.
      if (isDamaged(error)) return null;
      throw error;
    }
  }
}
