import type { Size } from '../../../server/contract/media.ts';
import type { Libheif } from './libheif.ts';
import type { Borders, Transformation } from './orientation.ts';

/* Numbers of libheif's interface for C. */
const fourCharacters = (text: string) => Buffer.from(text).readUInt32BE();
const ROTATION = fourCharacters('irot');
const MIRROR = fourCharacters('imir');
const CROP = fourCharacters('clap');
const MIRROR_ROWS = 0;

/** A picture is cropped, turned and mirrored, each once. */
const MAX_TRANSFORMATIONS = 16;

/** How libheif names a property: by its context, item and number. */
type Property = readonly [context: number, item: number, id: number];

/** Returns what a viewer does to an open image. A crop can be used as long as the image is open. */
export function readTransformations(
  heif: Libheif,
  context: number,
  handle: number,
): Transformation[] {
  const { calls } = heif;
  const item = calls._heif_image_handle_get_item_id(handle);
  const list = heif.allocate(MAX_TRANSFORMATIONS * 4);
  const count = calls._heif_item_get_transformation_properties(
    ...([context, item, list, MAX_TRANSFORMATIONS] as const),
  );
  return heif.words(list, count).flatMap((id) => {
    const transformation = read(heif, [context, item, id]);
    return transformation ? [transformation] : [];
  });
}

function read(heif: Libheif, property: Property): Transformation | null {
  const { calls } = heif;
  switch (calls._heif_item_get_property_type(...property)) {
    case ROTATION: {
      const degrees = calls._heif_item_get_property_transform_rotation_ccw(...property);
      return { kind: 'rotate', degreesAnticlockwise: degrees };
    }
    case MIRROR: {
      const direction = calls._heif_item_get_property_transform_mirror(...property);
      return { kind: 'mirror', swaps: direction === MIRROR_ROWS ? 'rows' : 'columns' };
    }
    case CROP:
      return { kind: 'crop', borders: (size) => readBorders(heif, property, size) };
    default:
      return null;
  }
}

function readBorders(heif: Libheif, property: Property, { width, height }: Size): Borders {
  const list = heif.allocate(4 * 4);
  const results = [list, list + 4, list + 8, list + 12] as const;
  const crop = [...property, width, height, ...results] as const;
  heif.calls._heif_item_get_property_transform_crop_borders(...crop);
  // A part that reaches beyond the picture would have borders below zero.
  const [left, top, right, bottom] = results.map((one) => Math.max(0, heif.word(one) | 0));
  return { left, top, right, bottom } as Borders;
}
