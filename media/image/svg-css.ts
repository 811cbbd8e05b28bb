/**
 * What a drawing needs a browser for. librsvg leaves out what is `undrawable`, so that its picture is wrong. Of
 * what is `adaptive` it draws one state: the start of an animation, the light colours.
 */
export type SvgNeed = 'undrawable' | 'adaptive';

const FUNCTIONS =
  /(?<![\w-])(?:var|light-dark|(?:ok)?lab|(?:ok)?lch|color|color-mix|calc|min|max|clamp)\(/i;
const PROPERTIES =
  /clip-path\s*[:=]\s*["']?(?:circle|ellipse|inset|polygon|path|rect|xywh)\(|transform-(?:origin|box)|(?<![\w-])d\s*:\s*path\(/i;
const SELECTORS = /:(?:is|where|has)\(/i;
/** A comment that nothing closes ends with the sheet. */
const COMMENTS_AND_STRINGS = /\/\*[\s\S]*?(?:\*\/|$)|"[^"]*"|'[^']*'/g;
const BRACES = /([{};])/;
/** Rules that don't apply to an image in a page with light colours. */
const ADAPTIVE_MEDIA = /^@media\s+(?:print\b|\(\s*prefers-(?!color-scheme\s*:\s*light))/i;
const ADAPTIVE_RULE = /^@(?:-\w+-)?keyframes\b/i;
/** An image in a page loads no fonts but those within it. */
const FONT_RULE = /^@font-face\b/i;
const FONT_BLOCK = /@font-face\s*\{/i;

/** The attributes that take what CSS takes. */
const STYLED =
  /^(?:style|fill|stroke|color|(?:stop|flood|lighting)-color|[\w-]*opacity|clip-path|transform-origin|font-size|stroke-width|x|y|width|height|r|[rc][xy])$/;
const ANIMATIONS = new Set(['animate', 'animateTransform', 'animateMotion', 'set']);

/** Returns what an attribute needs, with its name and its whole text. */
export const needOfAttribute = (name: string, text: () => string): SvgNeed | null =>
  STYLED.test(name) ? needOfValue(text()) : null;

/** Returns what an element needs by its name. */
export const needOfElement = (name: string): SvgNeed | null =>
  ANIMATIONS.has(name) ? 'adaptive' : null;

const needOfValue = (text: string): SvgNeed | null =>
  FUNCTIONS.test(text) || PROPERTIES.test(text) ? 'undrawable' : null;

/** Whether a style sheet contains a font. */
const hasOwnFont = (text: string): boolean =>
  text.split('}').some((block) => {
    const at = block.search(FONT_BLOCK);
    return at >= 0 && /data:/i.test(block.slice(at));
  });

/** Returns what a style sheet needs, in a time that grows with its length. */
export function needOfStyleSheet(text: string): SvgNeed | null {
  const css = text.replace(COMMENTS_AND_STRINGS, ' ');
  if (needOfValue(css) || SELECTORS.test(css) || hasOwnFont(text)) return 'undrawable';
  let need: SvgNeed | null = null;
  const open: string[] = [];
  const pieces = css.split(BRACES);
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    const rule = (pieces[at] as string).trim();
    const brace = pieces[at + 1];
    if (brace === '}') open.pop();
    if (brace !== '{') continue;
    const isAdaptive = ADAPTIVE_MEDIA.test(rule) || ADAPTIVE_RULE.test(rule);
    // Rules in rules, @media that applies, @layer, @supports and @container.
    if (
      open.some((outer) => !outer.startsWith('@')) ||
      (rule.startsWith('@') && !isAdaptive && !FONT_RULE.test(rule))
    )
      return 'undrawable';
    if (isAdaptive) need = 'adaptive';
    open.push(rule);
    if (open.length > MAX_DEPTH) return 'undrawable';
  }
  return need;
}

const MAX_DEPTH = 16;
