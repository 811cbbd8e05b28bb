import type { Transform } from '../../../server/contract/transforms.ts';

/** The transform that changes nothing but the format. */
export const NO_TRANSFORM: Transform = {
  width: null,
  height: null,
  fit: 'scale-down',
  gravity: { x: 0.5, y: 0.5 },
  format: 'png',
  quality: null,
  blur: 0,
  sharpen: 0,
  rotate: 0,
  background: null,
};
