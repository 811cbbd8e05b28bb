import {
  DERIVED_FORMATS,
  DERIVED_SIDE_MAX,
  FITS,
  QUALITY_MAX,
} from '../../../server/contract/transforms.ts';

/** What is entered in the builder of transform URLs. An empty text is the default. */
export type TransformFields = {
  width: string;
  height: string;
  fit: string;
  gravity: string;
  format: string;
  quality: string;
};

export const NO_TRANSFORM: TransformFields = {
  width: '',
  height: '',
  fit: '',
  gravity: '',
  format: '',
  quality: '',
};

/** The values of the selects; the first one is the default. */
export const CHOICES = {
  fit: { ...texts(FITS), '': 'scale-down' },
  gravity: { '': 'center', ...texts(['auto', 'top', 'right', 'bottom', 'left']) },
  format: { '': 'original', ...texts(['auto', ...DERIVED_FORMATS]) },
};

function texts(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.filter((one) => one !== 'scale-down').map((one) => [one, one]));
}

/** Whether a part of the image is cut off, so that it matters which. */
export const isCropping = ({ width, height, fit }: TransformFields) =>
  width !== '' && height !== '' && (fit === 'cover' || fit === 'crop');

/** The largest values of the fields that take a number, whose smallest is 1. */
export const MAX_NUMBERS = {
  width: DERIVED_SIDE_MAX,
  height: DERIVED_SIDE_MAX,
  quality: QUALITY_MAX,
};

/** Returns what is wrong with a number; null where it is empty, or one that the server accepts as it is. */
export function numberProblem(name: keyof typeof MAX_NUMBERS, text: string): string | null {
  const isInRange = Number(text) >= 1 && Number(text) <= MAX_NUMBERS[name];
  return text === '' || isInRange ? null : `Enter 1 to ${MAX_NUMBERS[name]}.`;
}

/**
 * Returns the URL of an image in another size or format, without parameters that have no effect. Null if
 * there are no parameters, or if a number is out of its range.
 */
export function transformUrl(url: string, fields: TransformFields): string | null {
  const numbers = Object.keys(MAX_NUMBERS) as (keyof typeof MAX_NUMBERS)[];
  if (numbers.some((name) => numberProblem(name, fields[name]))) return null;
  const query = new URLSearchParams();
  for (const [name, text] of Object.entries(fields)) {
    if (name === 'gravity' && !isCropping(fields)) continue;
    if (name === 'fit' && fields.width === '' && fields.height === '') continue;
    if (text !== '') query.set(name, text);
  }
  return query.size > 0 ? `${url}?${query}` : null;
}
