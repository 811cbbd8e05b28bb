import { expect, test } from 'bun:test';
import { findRefused } from './testing/find-refused.ts';

const allowed = {
  'server/keyword.ts': 'export class A {\n  private a = 1;\n  b = () => this.a;\n}\n',
  'scripts/javascript.mjs': 'export class A {\n  #a = 1;\n  b = () => this.#a;\n}\n',
  'islands/text.ts': "export const a = '#a';\n",
};
const refused = {
  'server/field.ts': 'export class A {\n  #a = 1;\n  b = () => this.#a;\n}\n',
  'tests/method.ts': 'export class A {\n  #a() {}\n  b = () => this.#a();\n}\n',
  'islands/getter.tsx':
    'export class A {\n  static get #a() {\n    return 1;\n  }\n  b = () => A.#a;\n}\n',
};

test('private members have the keyword and no number sign, except in JavaScript', async () => {
  const names = await findRefused({ ...allowed, ...refused });
  expect([...new Set(names)]).toEqual(Object.keys(refused).sort());
});
