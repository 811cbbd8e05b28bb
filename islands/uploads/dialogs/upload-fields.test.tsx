import { expect, test } from 'bun:test';
import { renderToString } from 'react-dom/server';
import { allOrSome, CheckboxField, type Checked } from './upload-fields.tsx';

test.each([
  [[true, true], true],
  [[true, false], 'indeterminate'],
  [[false, false], false],
] as [boolean[], Checked][])('over %p it is %p', (others, checked) => {
  expect(allOrSome(others)).toBe(checked);
});

test('before the browser has it, the third state is not drawn as checked', () => {
  const draw = (checked: Checked) =>
    renderToString(<CheckboxField label="a" help="b" checked={checked} onChecked={() => {}} />);
  expect(draw(true)).toContain('checked=""');
  expect(draw('indeterminate')).not.toContain('checked=""');
});
