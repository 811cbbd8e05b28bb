import { expect, test } from 'bun:test';
import { shownPart, type Transformation } from './orientation.ts';

const coded = { width: 40, height: 30 };
const turn = (degreesAnticlockwise: number): Transformation => ({
  kind: 'rotate',
  degreesAnticlockwise,
});
const mirror = (swaps: 'columns' | 'rows'): Transformation => ({ kind: 'mirror', swaps });
const borders = { left: 1, top: 2, right: 3, bottom: 4 };
const crop: Transformation = { kind: 'crop', borders: () => borders };

test.each([
  [[], 1],
  [[mirror('columns')], 2],
  [[turn(180)], 3],
  [[mirror('rows')], 4],
  [[turn(90), mirror('rows')], 5],
  [[turn(270)], 6],
  [[turn(90), mirror('columns')], 7],
  [[turn(90)], 8],
  [[turn(270), turn(180), mirror('rows'), mirror('columns')], 6],
] as [Transformation[], number][])(
  '%j is the EXIF orientation %i',
  (transformations, orientation) => {
    const area = { left: 0, top: 0, ...coded };
    expect(shownPart(coded, transformations)).toEqual({ area, orientation });
  },
);

test('borders are those of the picture at that step', () => {
  const first = shownPart(coded, [crop, turn(90)]);
  expect(first).toEqual({ area: { left: 1, top: 2, width: 36, height: 24 }, orientation: 8 });
  // After a quarter turn to the left, the left border was at the top, and the upper one at the right.
  const then = shownPart(coded, [turn(90), crop]);
  expect(then).toEqual({ area: { left: 4, top: 1, width: 34, height: 26 }, orientation: 8 });
});
