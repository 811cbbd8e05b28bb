import { permanentFailure } from '../media-failure.ts';
import { createRandomAccess } from '../strip-metadata/random-access.ts';
import { type XmlToken, xmlTokens } from '../strip-metadata/xml-tokens.ts';

/** What an SVG asks for, whose bytes tell nothing about the time that it takes to draw. */
export type SvgMeasure = {
  /** The elements, each `use` counted with all that it repeats. */
  elements: number;
  /** How deep elements are nested. */
  depth: number;
  /** The steps of all filters, each counted as often as a filter may be applied. */
  filterSteps: number;
  /** Whether it contains another SVG, or markup in entities, which would not be counted. */
  isNested: boolean;
};

const MAX_ELEMENTS = 200_000;
const MAX_DEPTH = 500;
const MAX_FILTER_STEPS = 1000;
/** Pixels times filter steps: some 120 steps on 16 megapixels. */
const MAX_FILTER_WORK = 2e9;

const TOO_MANY_ELEMENTS = 'has too many elements';
const TOO_DEEP = 'is nested too deeply';

/** What an SVG could be compressed with. */
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * Checks that drawing an SVG is bounded. Throws a permanent MediaFailure.
 * @param pixels the area on which it is drawn
 */
export function checkSvg(bytes: Buffer, pixels: number): void {
  // Nobody can upload it, and it would have to be unpacked to be measured.
  refuseIf(bytes.subarray(0, GZIP.length).equals(GZIP), 'must not be compressed');
  const { elements, filterSteps, isNested } = measureSvg(bytes);
  refuseIf(isNested, 'contains another SVG');
  refuseIf(elements > MAX_ELEMENTS, TOO_MANY_ELEMENTS);
  refuseIf(filterSteps > MAX_FILTER_STEPS, 'has too many filter effects');
  refuseIf(filterSteps * pixels > MAX_FILTER_WORK, 'has filter effects on too large an area');
}

function refuseIf(isRefused: boolean, what: string): void {
  if (isRefused) throw permanentFailure(`The SVG ${what}.`);
}

type Element = {
  id: string | null;
  /** The id of what a `use` repeats. */
  href: string | null;
  isFiltered: boolean;
  children: Element[];
};
const newElement = (): Element => ({ id: null, href: null, isFiltered: false, children: [] });

/** Measures an SVG, without resolving anything outside of it. Throws a permanent MediaFailure. */
export function measureSvg(bytes: Buffer): SvgMeasure {
  const file = createRandomAccess(bytes.length, (window, position) =>
    bytes.copy(window, 0, position),
  );
  const tree = new SvgTree();
  for (const token of xmlTokens(file)) tree.add(token, bytes.subarray(token.start, token.end));
  return tree.measure();
}

/** The elements of an SVG, as far as they decide how long it takes to draw. */
class SvgTree {
  private readonly root = newElement();
  private readonly open = [this.root];
  private readonly byId = new Map<string, Element>();
  private readonly measured = new Map<Element, { elements: number; filtered: number }>();
  /** The element whose tag is being read. */
  private current = newElement();
  private elements = 0;
  private depth = 0;
  private steps = 0;
  private isNested = false;

  add(token: XmlToken, bytes: Buffer): void {
    if (token.kind === 'attribute') this.addAttribute(token.name, bytes.toString('latin1'));
    else if (token.kind === 'open') this.addElement(localOf(token.name), token.isEmpty);
    else if (token.kind === 'close' && this.open.length > 1) this.open.pop();
    // Text in quotes, such as the value of an entity.
    else if (token.kind === 'doctype')
      this.isNested ||= /["'][\s\S]*</.test(bytes.toString('latin1'));
  }

  measure(): SvgMeasure {
    const { elements, filtered } = this.expand(this.root, 0);
    const { depth, isNested } = this;
    return { elements, depth, filterSteps: this.steps * Math.max(1, filtered), isNested };
  }

  private addAttribute(name: string, text: string): void {
    const value = text.slice(text.search(/["']/) + 1, -1).trim();
    const local = localOf(name);
    if (local === 'id') this.current.id = value;
    if (local === 'href' && value.startsWith('#')) this.current.href = value.slice(1);
    if (local === 'href' && /^data:image\/svg/i.test(value)) this.isNested = true;
    if (local === 'filter' || (local === 'style' && value.includes('filter')))
      this.current.isFiltered = true;
  }

  private addElement(name: string, isEmpty: boolean): void {
    const element = this.current;
    this.current = newElement();
    if (name !== 'use') element.href = null;
    if (element.id !== null) this.byId.set(element.id, element);
    if (/^fe[A-Z]/.test(name)) this.steps += 1;
    this.open.at(-1)?.children.push(element);
    this.elements += 1;
    this.depth = Math.max(this.depth, this.open.length);
    // Both are checked here as well, so that the tree fits into memory and the stack.
    refuseIf(this.elements > MAX_ELEMENTS, TOO_MANY_ELEMENTS);
    refuseIf(this.depth > MAX_DEPTH, TOO_DEEP);
    if (!isEmpty) this.open.push(element);
  }

  /** Counts an element with all that is drawn for it. A `use` that contains itself is not drawn. */
  private expand(element: Element, depth: number): { elements: number; filtered: number } {
    const known = this.measured.get(element);
    if (known) return known;
    refuseIf(depth > MAX_DEPTH, TOO_DEEP);
    this.measured.set(element, { elements: 0, filtered: 0 });
    const target = element.href === null ? undefined : this.byId.get(element.href);
    const total = { elements: 1, filtered: element.isFiltered ? 1 : 0 };
    for (const child of target ? [...element.children, target] : element.children) {
      const { elements, filtered } = this.expand(child, depth + 1);
      total.elements += elements;
      total.filtered += filtered;
    }
    this.measured.set(element, total);
    return total;
  }
}

const localOf = (name: string) => name.slice(name.indexOf(':') + 1);
