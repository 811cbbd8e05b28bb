import { DERIVED_FORMATS, DERIVED_SIDE_MAX, FITS } from '../../server/contract/transforms.ts';

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
  format: { '': 'as it is', ...texts(['auto', ...DERIVED_FORMATS]) },
};

function texts(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.filter((one) => one !== 'scale-down').map((one) => [one, one]));
}

/** Whether a part of the image is cut off, so that it matters which. */
export const isCropping = ({ width, height, fit }: TransformFields) =>
  width !== '' && height !== '' && (fit === 'cover' || fit === 'crop');

/**
 * Returns the URL of an image in another size or format, without parameters that have no effect. Numbers
 * are limited to what the server accepts. Null if there are no parameters.
 */
export function transformUrl(url: string, fields: TransformFields): string | null {
  const limits = { width: DERIVED_SIDE_MAX, height: DERIVED_SIDE_MAX, quality: 100 };
  const query = new URLSearchParams();
  for (const [name, text] of Object.entries(fields)) {
    const max = (limits as Record<string, number>)[name];
    if (name === 'gravity' && !isCropping(fields)) continue;
    if (name === 'fit' && fields.width === '' && fields.height === '') continue;
    if (max === undefined ? text !== '' : Number(text) >= 1) {
      query.set(name, max === undefined ? text : String(Math.min(Number(text), max)));
    }
  }
  return query.size > 0 ? `${url}?${query}` : null;
}
