import type { Size } from '../../../server/contract/media.ts';
import type { Area } from '../tiff.ts';

/** What a viewer does to the coded picture, one after the other (ISO/IEC 23008-12, 6.5.9 to 6.5.12). */
export type Transformation =
  | { kind: 'rotate'; degreesAnticlockwise: number }
  /** Swaps left and right, or top and bottom. */
  | { kind: 'mirror'; swaps: 'columns' | 'rows' }
  /** Cuts borders off a picture of that size. */
  | { kind: 'crop'; borders: (size: Size) => Borders };

export type Borders = { left: number; top: number; right: number; bottom: number };

type Point = { x: number; y: number };
/** A picture on its way to the viewer. `toCoded` tells where its pixels are in the coded picture. */
type View = Size & { toCoded: (point: Point) => Point };

/** Where a viewer's right and down point to in the coded picture, for EXIF's orientations from 1 on. */
const ORIENTATIONS = [
  ...['1,0 0,1', '-1,0 0,1', '-1,0 0,-1', '1,0 0,-1'],
  ...['0,1 1,0', '0,-1 1,0', '0,-1 -1,0', '0,1 -1,0'],
];

/** Returns the part of a coded picture that is shown, and how in EXIF's terms, 1 to 8. */
export function shownPart(
  coded: Size,
  transformations: Transformation[],
): { area: Area; orientation: number } {
  const start: View = { ...coded, toCoded: (point) => point };
  const { width, height, toCoded } = transformations.reduce(transformed, start);
  const origin = toCoded({ x: 0, y: 0 });
  const end = toCoded({ x: width - 1, y: height - 1 });
  const towards = (point: Point) => {
    const { x, y } = toCoded(point);
    return `${x - origin.x},${y - origin.y}`;
  };
  const directions = `${towards({ x: 1, y: 0 })} ${towards({ x: 0, y: 1 })}`;
  return {
    area: {
      left: Math.min(origin.x, end.x),
      top: Math.min(origin.y, end.y),
      width: Math.abs(end.x - origin.x) + 1,
      height: Math.abs(end.y - origin.y) + 1,
    },
    orientation: ORIENTATIONS.indexOf(directions) + 1,
  };
}

function transformed(view: View, transformation: Transformation): View {
  const { width, height } = view;
  const then = (size: Size, before: (point: Point) => Point): View => ({
    ...size,
    toCoded: (point) => view.toCoded(before(point)),
  });
  switch (transformation.kind) {
    case 'crop': {
      const { left, top, right, bottom } = transformation.borders(view);
      const size = { width: width - left - right, height: height - top - bottom };
      return then(size, ({ x, y }) => ({ x: x + left, y: y + top }));
    }
    case 'mirror':
      return transformation.swaps === 'columns'
        ? then(view, ({ x, y }) => ({ x: width - 1 - x, y }))
        : then(view, ({ x, y }) => ({ x, y: height - 1 - y }));
    case 'rotate': {
      if (transformation.degreesAnticlockwise === 0) return view;
      const turned = then({ width: height, height: width }, ({ x, y }) => ({
        x: width - 1 - y,
        y: x,
      }));
      const rest = transformation.degreesAnticlockwise - 90;
      return transformed(turned, { kind: 'rotate', degreesAnticlockwise: rest });
    }
  }
}
