import { expect, test } from 'bun:test';
import { loadHighlight } from './highlight.ts';

const highlight = await loadHighlight();

test.each([
  ['sh', 'curl -X POST "https://a.example" # send', 'hljs-string'],
  ['js', 'const a = 1;', 'hljs-keyword'],
  ['ts', 'const a: string = "b";', 'hljs-string'],
  ['python', 'import os', 'hljs-keyword'],
  ['php', "<?php echo 'a';", 'hljs-string'],
  ['json', '{"a": 1}', 'hljs-number'],
  ['yaml', 'a: 1', 'hljs-attr'],
  ['nginx', 'server { listen 80; }', 'hljs-'],
  ['html', '<p class="a">b</p>', 'hljs-name'],
  ['ini', 'A=1', 'hljs-attr'],
])('%s gets colours', (language, code, name) => {
  const html = highlight(code, language) ?? '';
  expect(html).toContain(name);
  const text = html.replace(/<[^>]+>/g, '').replace(/&(lt|gt|quot|#x27|amp);/g, (_, key) => {
    const characters: Record<string, string> = {
      lt: '<',
      gt: '>',
      quot: '"',
      '#x27': "'",
      amp: '&',
    };
    return characters[key] ?? '';
  });
  expect(text).toBe(code);
});

test('markup in code stays text, and an unknown language has no colours', () => {
  expect(highlight('echo "<script>alert(1)</script>"', 'sh')).not.toContain('<script');
  expect(highlight('a { b }', 'caddy')).toBeNull();
});
