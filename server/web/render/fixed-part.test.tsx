import { beforeAll, expect, test } from 'bun:test';
import { build } from '../../../scripts/build.ts';
import { FIXED_PART, renderFixedPart, renderPageAround } from './fixed-part.tsx';

beforeAll(async () => {
  await build();
});

let renderings = 0;
function Costly() {
  renderings += 1;
  return <p>{['costly', ' & ', 'long']}</p>;
}

test('a fixed part is rendered once, in its place on every page', async () => {
  const part = await renderFixedPart(<Costly />);
  const body = (
    <>
      <h1>above</h1>
      {FIXED_PART}
      <h2>below</h2>
    </>
  );
  for (const viewer of [null, { userId: 'u1', email: 'a@b.example', isAdmin: false, credit: 0 }]) {
    const request = new Request('http://localhost/');
    const page = await renderPageAround(request, part, { title: 'Fixed', viewer, body });
    expect(await page.text()).toContain('<h1>above</h1><p>costly &amp; long</p><h2>below</h2>');
  }
  expect(renderings).toBe(1);
});
