import { expect, test } from 'bun:test';
import { preserveFieldValues } from './preserve-field-values.ts';

Object.assign(globalThis, { HTMLSelectElement: class {} });

/** A fake of a browser's text field, whose caret moves to the end when its value is set. */
class Field {
  type = 'text';
  readOnly = false;
  selectionStart = 0;
  selectionEnd = 0;
  events: string[] = [];
  private text: string;
  constructor(
    readonly defaultValue: string,
    typed: string,
  ) {
    this.text = typed;
  }
  get value() {
    return this.text;
  }
  set value(text: string) {
    this.text = text;
    this.setSelectionRange(text.length, text.length);
  }
  setSelectionRange(start: number, end: number) {
    Object.assign(this, { selectionStart: start, selectionEnd: end });
  }
  dispatchEvent() {
    this.events.push(this.value);
  }
}

const keep = (field: Field) =>
  preserveFieldValues({ querySelectorAll: () => [field] } as unknown as HTMLElement);

test('what was typed is told again, with the caret where it was, also after a render put it back', () => {
  const field = new Field('', 'harbour');
  field.setSelectionRange(3, 5);
  const restore = keep(field);
  field.value = '';
  restore();
  expect(field.events).toEqual(['harbour']);
  expect([field.selectionStart, field.selectionEnd]).toEqual([3, 5]);
});

test('whoever typed on while the script came keeps every letter', () => {
  const field = new Field('', 'ha');
  const restore = keep(field);
  field.value = 'har';
  restore();
  expect(field.value).toBe('har');
  expect(field.events).toEqual(['har']);
});

test('a field that nobody touched hears nothing', () => {
  const field = new Field('Quay', 'Quay');
  keep(field)();
  expect(field.events).toEqual([]);
});
