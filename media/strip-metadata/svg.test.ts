import { afterAll, describe, expect, test } from 'bun:test';
import { MediaFailure } from '../media-failure.ts';
import { cleanBytes } from '../testing/clean-bytes.ts';
import { scratch } from '../testing/clips.ts';
import { pixels } from '../testing/pictures.ts';

const folder = scratch();
afterAll(folder.remove);
const clean = async (text: string) =>
  (await cleanBytes(folder.path, Buffer.from(text), 'svg')).toString('utf8');

const DRAWING = `<?xml version="1.0" encoding="UTF-8"?>
<!-- secret comment -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [ <!ENTITY red "#f00"> <!-- a > b --> ]>
<?xpacket secret?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:svg="http://www.w3.org/2000/svg"
  xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
  xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
  width="40" height="30" sodipodi:docname="C:\\secret.svg" inkscape:export-filename = '/home/secret/a>b.png'>
  <sodipodi:namedview secret="1"><inkscape:grid secret="2"/></sodipodi:namedview>
  <metadata id="m"><a><metadata>secret</metadata></a><!-- </metadata> --> secret</metadata>
  <svg:metadata>secret</svg:metadata><metadata secret=""/>
  <style><![CDATA[ rect { fill: &red; } /* <metadata> stays text */ circle { fill: blue } ]]></style>
  <rect width="20" height="30" fill="&red;" inkscape:label="secret"/>
  <circle cx="30" cy="15" r="8"/><text x="1" y="9">größer &lt; kleiner</text>
</svg>
`;

test('an SVG looks the same and keeps no comment, metadata or editor mark', async () => {
  const cleaned = await clean(DRAWING);
  expect(cleaned).not.toContain('secret');
  expect(cleaned).toContain('<rect width="20" height="30" fill="&red;"/>');
  expect(cleaned).toContain('<!ENTITY red');
  expect(cleaned).toContain('<metadata> stays text');
  expect(cleaned).toContain('größer');
  const before = await pixels(Buffer.from(DRAWING));
  expect((await pixels(Buffer.from(cleaned))).equals(before)).toBe(true);
});

test('an SVG without any of it is copied byte for byte', async () => {
  const simple =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1"/></svg>\n';
  expect(await clean(simple)).toBe(simple);
});

test('letters that are no ASCII can be part of names', async () => {
  const named = '<svg><rect data-\u00e0="1"/></svg>';
  expect(await clean(named)).toBe(named);
});

test('marks far apart are found in a large file', async () => {
  const path = `<path d="${'M0 0h1'.repeat(50_000)}"/>`;
  const large = `<svg>${path}<!-- ${'secret'.repeat(30_000)} -->${path}<metadata>s</metadata></svg>`;
  expect(await clean(large)).toBe(`<svg>${path}${path}</svg>`);
});

describe('broken markup is refused', () => {
  test.each([
    '<svg><!-- open',
    '<svg><metadata>open</svg>',
    '<svg width=1>',
    '<svg width="1',
    '<svg <rect/>',
    '<!DOCTYPE svg [',
    '<svg><![CDATA[ open',
    '< svg>',
  ])('%s', async (text) => {
    await expect(clean(text)).rejects.toBeInstanceOf(MediaFailure);
  });

  test('an encoding in which the search would see nothing', async () => {
    const utf16 = Buffer.from('\ufeff<svg><metadata>secret</metadata></svg>', 'utf16le');
    const cleaned = cleanBytes(folder.path, utf16, 'svg');
    await expect(cleaned).rejects.toThrow('UTF-8');
  });
});
