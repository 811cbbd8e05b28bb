import { expect, test } from 'bun:test';
import { renderToString } from 'react-dom/server';
import { useSearchParams } from 'wouter';
import { PageRouter } from './page-router.tsx';

const Folder = () => useSearchParams()[0].get('folder');

test('a parameter of the page’s URL is read as it was written, whatever its characters', () => {
  for (const folder of ['a%41/', '100% ä 新/', 'a&b=c?d#e+f/', '%26', '%', '']) {
    const html = renderToString(
      <PageRouter path="/dashboard" search={`?${new URLSearchParams({ view: 'grid', folder })}`}>
        <Folder />
      </PageRouter>,
    );
    expect(html).toBe(Bun.escapeHTML(folder));
  }
});
