import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../errors.ts';
import { acceptedFormat } from './accept.ts';
import { readParameters, type TransformParams } from './parameters.ts';
import { keyOf, type PublishedFile, resolveTransform, transformOf } from './resolve-transform.ts';

const rgba = (params: TransformParams | null) => params?.background;

describe('a query', () => {
  const cases: [query: string, asked: Partial<TransformParams>][] = [
    ['width=300', { width: 300, height: null, fit: 'scale-down', format: 'own', quality: null }],
    ['w=300&h=200', { width: 300, height: 200 }],
    ['w=301', { width: 304 }],
    ['w=305', { width: 310 }],
    ['w=1', { width: 10 }],
    ['w=768', { width: 768 }],
    ['w=1023', { width: 1024 }],
    ['w=4095', { width: 4096 }],
    ['w=99999', { width: 4096 }],
    ['w=300&dpr=2', { width: 600 }],
    ['dpr=1.2&w=300', { width: 450 }],
    ['w=4000&h=2000&dpr=3', { width: 4096, height: 2048 }],
    ['fit=cover', { fit: 'cover' }],
    ['fit=scale-down', { fit: 'scale-down' }],
    ['g=left', { gravity: { x: 0, y: 0.5 } }],
    ['gravity=bottom', { gravity: { x: 0.5, y: 1 } }],
    ['g=auto', { gravity: 'auto' }],
    ['g=0.24x0.77', { gravity: { x: 0.2, y: 0.8 } }],
    ['g=0x1', { gravity: { x: 0, y: 1 } }],
    ['g=.5x1.0', { gravity: { x: 0.5, y: 1 } }],
    ['q=1', { quality: 5 }],
    ['q=83', { quality: 85 }],
    ['quality=100', { quality: 100 }],
    ['f=auto', { format: 'auto' }],
    ['format=jpg', { format: 'jpeg' }],
    ['format=avif', { format: 'avif' }],
    ['blur=0', { blur: 0 }],
    ['blur=0.4', { blur: 1 }],
    ['blur=7', { blur: 7 }],
    ['blur=13', { blur: 10 }],
    ['blur=250', { blur: 250 }],
    ['sharpen=1.2', { sharpen: 1 }],
    ['sharpen=10', { sharpen: 10 }],
    ['rotate=270', { rotate: 270 }],
    ['rotate=0', { rotate: 0 }],
    ['background=white', { background: [255, 255, 255, 255] }],
    ['background=%23fff', { background: [255, 255, 255, 255] }],
    ['background=369', { background: [50, 100, 155, 255] }],
    ['background=rgb(1,2,3)', { background: [0, 0, 5, 255] }],
    ['background=transparent', { background: [0, 0, 0, 0] }],
    ['w=100&w=200', { width: 200 }],
    ['utm_source=x&w=100&v=3', { width: 100 }],
  ];
  for (const [query, expected] of cases) {
    test(`${query} asks for ${JSON.stringify(expected)}`, () => {
      expect(readParameters(query)).toMatchObject(expected);
    });
  }

  test.each(['v=1', 'width', 'W=100', 'Width=100', 'constructor=1', '__proto__=1', 'jwt=abc', ''])(
    'of %p asks for nothing of ours, or is refused',
    (query) => {
      if (query === 'width') expect(() => readParameters(query)).toThrow(AppError);
      else expect(readParameters(query)).toBeNull();
    },
  );

  test.each([
    ['width', ['w=0', 'w=-1', 'w=1.5', 'w=auto', 'w=1e3', 'w=9999999', 'w=', 'w=NaN']],
    ['height', ['h=0', 'height=x']],
    ['fit', ['fit=fill', 'fit=', 'fit=COVER', 'fit=constructor']],
    ['gravity', ['g=face', 'g=2x0', 'g=-1x0', 'g=0.5', 'g=0.5x', 'g=__proto__', 'g=toString']],
    ['quality', ['q=0', 'q=101', 'q=high']],
    ['format', ['f=svg', 'f=json', 'f=tiff', 'f=own']],
    ['dpr', ['dpr=0.5', 'dpr=4', 'dpr=']],
    ['blur', ['blur=-1', 'blur=251', 'blur=x']],
    ['sharpen', ['sharpen=11', 'sharpen=-1']],
    ['rotate', ['rotate=45', 'rotate=360', 'rotate=-90']],
    ['background', ['background=nope', 'background=url(x)', `background=${'a'.repeat(300)}`]],
  ])('with a bad %s is refused by its name', (name, queries) => {
    for (const query of queries) {
      const failure = (() => {
        try {
          return readParameters(query);
        } catch (error) {
          return error;
        }
      })();
      expect([query, failure]).toEqual([query, expect.any(AppError)]);
      expect(failure).toMatchObject({ status: 400, code: 'bad-transform' });
      expect((failure as AppError).text).toStartWith(`${name} must be`);
    }
  });

  test('leaves no more values than steps', () => {
    const steps = (query: (value: number) => string, min: number, max: number, by: number) => {
      const widths = new Set<string>();
      for (let value = min; value <= max; value += by) {
        widths.add(JSON.stringify(readParameters(query(value))));
      }
      return widths.size;
    };
    expect(steps((value) => `w=${value}`, 1, 4096, 1)).toBeLessThan(620);
    expect(steps((value) => `q=${value}`, 1, 100, 0.25)).toBe(20);
    expect(steps((value) => `blur=${value.toFixed(2)}`, 0, 250, 0.25)).toBe(35);
    expect(steps((value) => `sharpen=${value.toFixed(2)}`, 0, 10, 0.25)).toBe(21);
    expect(steps((value) => `w=100&dpr=${value.toFixed(2)}`, 1, 3, 0.25)).toBe(5);
    expect(steps((value) => `g=${value.toFixed(3)}x0`, 0, 1, 0.005)).toBe(11);
    expect(steps((value) => `background=rgb(${value},0,0)`, 0, 255, 1)).toBe(52);
  });

  test('never asks for fewer pixels than it says', () => {
    for (let width = 1; width <= 4096; width += 1) {
      const parsedWidth = readParameters(`w=${width}`)?.width ?? 0;
      expect(parsedWidth).toBeGreaterThanOrEqual(width);
      expect(parsedWidth - width).toBeLessThan(10);
    }
  });

  test('colours keep white, black and opaque as they are', () => {
    expect(rgba(readParameters('background=000'))).toEqual([0, 0, 0, 255]);
    expect(rgba(readParameters('background=ffffff80'))).toEqual([255, 255, 255, 130]);
  });
});

describe('the one form of a transform', () => {
  type Source = Parameters<typeof transformOf>[2];
  const photo = { width: 1200, height: 800, isTurned: false, format: 'jpeg' } as Source;
  const keyed = (query: string, source: Source = photo, format: 'own' | 'webp' = 'own') => {
    const params = readParameters(query);
    const own = source.format === 'svg' ? 'png' : (source.format ?? 'webp');
    const transform = params && transformOf(params, format === 'own' ? own : format, source);
    return transform && keyOf(transform);
  };

  const same = [
    ['w=300', 'width=300', 'w=300&g=left', 'w=300&fit=scale-down', 'w=300&fit=crop', 'w=299'],
    ['w=300&fit=contain', 'w=300&fit=cover', 'w=300&fit=pad', 'w=300&fit=pad&g=auto'],
    ['w=300&h=200&fit=cover', 'h=200&w=300&fit=cover&g=center', 'h=100&w=150&dpr=2&fit=cover'],
    ['q=50', 'q=50&w=2000', 'q=51&w=1200&h=900', 'q=50&background=red', 'q=50&blur=0'],
    ['w=300&rotate=90', 'rotate=90&w=300&h=1200', 'rotate=90&w=300&h=4000'],
  ];
  for (const queries of same) {
    test(`is the same for ${queries.join(' and ')}`, () => {
      expect(new Set(queries.map((query) => keyed(query))).size).toBe(1);
      expect(keyed(queries[0] ?? '')).not.toBeNull();
    });
  }

  test('differs where the result does', () => {
    const queries = [
      ...['w=300', 'h=300', 'w=300&h=300', 'w=300&fit=contain', 'w=300&q=50', 'w=300&blur=5'],
      ...['w=300&sharpen=1', 'w=300&rotate=90', 'w=300&h=300&fit=cover', 'w=300&h=300&fit=crop'],
      ...['w=300&h=300&fit=pad', 'w=300&h=300&fit=pad&background=red'],
      ...['w=300&h=300&fit=cover&g=left', 'w=300&h=300&fit=cover&g=auto', 'w=300&rotate=180'],
    ];
    expect(new Set(queries.map((query) => keyed(query))).size).toBe(queries.length);
    expect(keyed('w=300', photo, 'webp')).not.toBe(keyed('w=300'));
  });

  test.each([
    'w=1200',
    'w=4000&h=4000',
    'fit=cover',
    'dpr=2',
    'g=left',
    'rotate=0',
    'background=red',
  ])('%s leaves a photo as it is', (query) => expect(keyed(query)).toBeNull());

  test('a photo that declares an orientation is generated upright in any size and format', () => {
    for (const query of ['w=1200', 'w=4000&h=4000', 'dpr=2'])
      expect(keyed(query, { ...photo, isTurned: true })).not.toBeNull();
  });

  test('a drawing is always drawn, and see-through images take a background', () => {
    const seeThrough: Source = { ...photo, format: 'png' };
    const drawing: Source = { format: 'svg', width: 20, height: 10, isTurned: false };
    expect(keyed('w=4000', drawing)).toBe(keyed('fit=cover', drawing));
    expect(keyed('w=4000', drawing)).not.toBeNull();
    expect(keyed('background=red', seeThrough)).not.toBeNull();
    expect(keyed('w=4000', { ...photo, format: null })).not.toBeNull();
  });

  test('a quality means nothing where nothing is lost', () => {
    const png: Source = { ...photo, format: 'png' };
    expect(keyed('w=300&q=50', png)).toBe(keyed('w=300', png));
  });
});

describe('the format of auto', () => {
  test.each([
    ['image/avif,image/webp,*/*', false, 'avif'],
    ['image/webp,image/avif', false, 'avif'],
    ['image/webp,*/*;q=0.8', false, 'webp'],
    ['IMAGE/AVIF;q=0.5', false, 'avif'],
    ['image/avif;q=0, image/webp', false, 'webp'],
    ['image/avif; q=0.000', false, null],
    ['image/avif,image/webp', true, 'webp'],
    ['image/avif', true, null],
    ['*/*', false, null],
    ['image/*', false, null],
    ['image/avifs,text/html', false, null],
    ['', false, null],
    [null, false, null],
  ] as const)('for %p, animated: %p, is %p', (accept, isAnimated, format) => {
    expect(acceptedFormat(accept, isAnimated)).toBe(format);
  });
});

test('an animated PNG is generated as WebP where no other format is requested', () => {
  const file = { file_type: 'image', duration: 900, width: 900, height: 600, is_turned: 0 };
  const resolve = (query: string) => {
    const params = readParameters(query);
    return params && resolveTransform(file as PublishedFile, 'a.png', null, params);
  };
  expect(resolve('w=300')?.format).toBe('webp');
  expect(resolve('w=300&f=png')?.format).toBe('png');
  expect(resolve('w=900')).toBeNull();
});
