import { expect, test } from 'bun:test';
import { guideHref, renderMarkdown } from './markdown.tsx';

const html = async (text: string) => (await renderMarkdown(text)).html;

test('HTML in a text is shown, never taken', async () => {
  const attempt = '<script>alert(1)</script>\n\nA <b onclick="x">bold</b> word.\n\n<!-- hidden -->';
  expect(await html(attempt)).not.toMatch(/<(script|b)\b|<!--/);
  expect(await html(attempt)).toContain('&lt;script&gt;');
  expect(await html('```html\n<script>alert(1)</script>\n```')).not.toContain('<script');
});

test('no style stands in the markup, as our policy would refuse it', async () => {
  expect(await html('| a | b |\n|--:|:-:|\n| 1 | 2 |')).not.toContain('style=');
});

test('a link leads to a page of the guide, a part, a path or https, and nowhere else', async () => {
  expect(guideHref('tokens.md')).toBe('/docs/tokens');
  expect(guideHref('tokens.md#regenerate-the-api-key')).toBe('/docs/tokens#regenerate-the-api-key');
  for (const href of ['#part', '/docs#get-files', 'https://tus.io']) {
    expect(guideHref(href)).toBe(href);
  }
  for (const target of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//elsewhere.example',
    'http://plain.example',
    '../decisions/0005-added-libraries.md',
    'tokens.html',
    '',
  ]) {
    expect(() => guideHref(target)).toThrow('not a page, path, https URL or email address');
  }
  await expect(html('[x](javascript:alert(1))')).rejects.toThrow(
    'not a page, path, https URL or email address',
  );
});

test('headings have addresses, and those of the second level are listed', async () => {
  const { html, sections } = await renderMarkdown(
    '# A\n\n## With `code` in it\n\n### Below\n\n## Last',
  );
  expect(sections).toEqual([
    { id: 'with-code-in-it', text: 'With code in it' },
    { id: 'last', text: 'Last' },
  ]);
  expect(html).toContain('<h3 id="below"><a href="#below">Below</a></h3>');
});

test('code can be copied as it is, and what a command says can not', async () => {
  const page = await html('```sh\ncurl "a" <b>\n```\n\n```output\n{}\n```');
  expect(page).toContain('data-copy="curl &quot;a&quot; &lt;b&gt;"');
  expect(page.split('data-copy=')).toHaveLength(2);
});
