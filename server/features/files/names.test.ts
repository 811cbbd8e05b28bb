import { describe, expect, test } from 'bun:test';
import { keptName, slugOf } from './names.ts';

describe('the kept name', () => {
  const cases: [string | undefined, string][] = [
    ['photo.jpg', 'photo.jpg'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\photo.jpg', 'photo.jpg'],
    ['a\r\nSet-Cookie: x\0.jpg', 'aSet-Cookie: x.jpg'],
    ['exe.\u202egpj', 'exe.gpj'],
    ['  Müsli 😀.png ', 'Müsli 😀.png'],
    ['', 'image'],
    [undefined, 'image'],
    ['/', 'image'],
    ['x'.repeat(400), 'x'.repeat(255)],
  ];
  for (const [name, expected] of cases) {
    test(`of ${JSON.stringify(name)?.slice(0, 50)} is ${JSON.stringify(expected.slice(0, 40))}`, () => {
      expect(keptName(name, 'image')).toBe(expected);
    });
  }
});

describe('the delivered base name', () => {
  const cases: [string, string][] = [
    ['Holiday Photo (1).JPG', 'holiday-photo-1'],
    ['Ünïcödé.png', 'unicode'],
    ['日本.png', 'image'],
    ['.htaccess', 'htaccess'],
    ['..', 'image'],
    ['a/../b.png', 'a-b'],
    ['--x--.gif', 'x'],
    ['x'.repeat(100), 'x'.repeat(60)],
  ];
  for (const [name, slug] of cases) {
    test(`of ${name.slice(0, 40)} is ${slug.slice(0, 40)}`, () => {
      expect(slugOf(name, 'image')).toBe(slug);
    });
  }
});
