import {
  DERIVED_FORMATS,
  DERIVED_SIDE_MAX,
  type DerivedFormat,
  FITS,
  QUALITY_MAX,
  type Transform,
} from '../../../contract/transforms.ts';
import {
  blurStep,
  choiceOf,
  colourOf,
  colourStep,
  dprStep,
  gravityOf,
  gravityStep,
  numberOf,
  qualityStep,
  sharpenStep,
  sizeOf,
  sizeStep,
} from './values.ts';

/** The transform that a query requests. */
export type TransformParams = Omit<Transform, 'format'> & {
  /** With 'auto' the client's Accept header decides; 'own' is the format of the image. */
  format: DerivedFormat | 'auto' | 'own';
};

const ALIASES: Record<string, string> = {
  w: 'width',
  h: 'height',
  q: 'quality',
  f: 'format',
  g: 'gravity',
};
const FORMATS = ['auto', ...DERIVED_FORMATS] as const;
const ROTATIONS = { '0': 0, '90': 90, '180': 180, '270': 270 } as const;
const MAX_DPR = 3;
const MAX_BLUR = 250;
const MAX_SHARPEN = 10;

const DEFAULT_PARAMS: TransformParams = {
  width: null,
  height: null,
  fit: 'scale-down',
  gravity: { x: 0.5, y: 0.5 },
  format: 'own',
  quality: null,
  blur: 0,
  sharpen: 0,
  rotate: 0,
  background: null,
};

/** Returns the values of the parameters. Each throws bad-transform. */
const PARSERS: { [Name in keyof TransformParams]: (text: string) => TransformParams[Name] } = {
  width: (text) => sizeOf('width', text, DERIVED_SIDE_MAX),
  height: (text) => sizeOf('height', text, DERIVED_SIDE_MAX),
  fit: (text) => choiceOf('fit', text, FITS),
  gravity: (text) => gravityStep(gravityOf(text)),
  quality: (text) => qualityStep(numberOf('quality', text, 1, QUALITY_MAX)),
  format: (text) => choiceOf('format', text === 'jpg' ? 'jpeg' : text, FORMATS),
  blur: (text) => blurStep(numberOf('blur', text, 0, MAX_BLUR)),
  sharpen: (text) => sharpenStep(numberOf('sharpen', text, 0, MAX_SHARPEN)),
  rotate: (text) => ROTATIONS[choiceOf('rotate', text, ['0', '90', '180', '270'] as const)],
  background: (text) => colourStep(colourOf(text)),
};
const isParameter = (name: string): name is keyof TransformParams => Object.hasOwn(PARSERS, name);

/**
 * Parses the query of a delivery URL, without its '?', and rounds the parameters to steps. Returns
 * null for a query without any of our parameters; others are ignored. The last one of a name
 * counts. Throws bad-transform.
 */
export function readParameters(query: string): TransformParams | null {
  const params = { ...DEFAULT_PARAMS };
  let dpr = 1;
  let hasParameters = false;
  for (const [key, value] of new URLSearchParams(query)) {
    const name = Object.hasOwn(ALIASES, key) ? (ALIASES[key] ?? key) : key;
    if (isParameter(name)) Object.assign(params, { [name]: PARSERS[name](value) });
    else if (name === 'dpr') dpr = dprStep(numberOf('dpr', value, 1, MAX_DPR));
    else continue;
    hasParameters = true;
  }
  return hasParameters ? scaled(params, dpr) : null;
}

/**
 * Returns the box in pixels of the screen. Both sides have the same factor, which keeps the aspect
 * ratio.
 */
function scaled(params: TransformParams, dpr: number): TransformParams {
  const { width, height } = params;
  const factor = Math.min(dpr, DERIVED_SIDE_MAX / Math.max(width ?? 1, height ?? 1));
  const side = (pixels: number | null) => pixels && sizeStep(Math.round(pixels * factor));
  return { ...params, width: side(width), height: side(height) };
}
