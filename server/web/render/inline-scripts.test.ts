import { expect, test } from 'bun:test';
import { EVENT_REPLAY_SCRIPT } from './inline-scripts.ts';

type Listener = (event: object) => void;

class Thing {
  constructor(
    readonly kind: 'button' | 'of the page' | 'link' | 'field',
    readonly island: {
      dataset: Record<string, string>;
    } | null,
  ) {}
  done = 0;
  form = null;
  closest = (selector: string) => {
    if (selector.startsWith('[data-island]')) {
      return this.island && this.island.dataset.live === undefined ? this.island : null;
    }
    if (selector === '[data-keys]' || selector === '[data-context-menu]') return null;
    return this;
  };
  matches = (selector: string) =>
    this.kind === 'of the page' || (this.kind === 'button' && !selector.startsWith('[data-'));
  click = () => {
    this.done += 1;
  };
  dispatchEvent = () => {
    this.done += 1;
  };
}

/** Runs the script as a page does, with nothing but what it is given. */
function pageWithScript() {
  const listeners = new Map<string, Listener[]>();
  const html = { dataset: {} as Record<string, string> };
  const root = {
    documentElement: html,
    activeElement: null,
    addEventListener: (type: string, listener: Listener) =>
      listeners.set(type, [...(listeners.get(type) ?? []), listener]),
  };
  const names = [
    'window',
    'document',
    'Element',
    'HTMLInputElement',
    'KeyboardEvent',
    'FocusEvent',
    'setTimeout',
  ];
  const later = (act: () => void) => act();
  class FakeEvent {}
  new Function(...names, EVENT_REPLAY_SCRIPT)(
    root,
    root,
    Thing,
    Thing,
    FakeEvent,
    FakeEvent,
    later,
  );
  const fire = (type: string, event: object) => {
    let stopped = false;
    for (const listener of listeners.get(type) ?? []) {
      listener({
        preventDefault: () => {
          stopped = true;
        },
        stopImmediatePropagation() {},
        ...event,
      });
    }
    return { stopped };
  };
  return { fire, html };
}

const islandOf = () => ({ dataset: {} as Record<string, string> });

test('a button pressed before its island is alive, twice, is pressed once when that is', () => {
  const { fire } = pageWithScript();
  const island = islandOf();
  const button = new Thing('button', island);
  expect(fire('click', { target: button }).stopped).toBe(true);
  fire('click', { target: button });
  expect(button.done).toBe(0);
  expect(island.dataset).toEqual({ waiting: '' });
  fire('wharf:hydrated', { target: island });
  expect(button.done).toBe(1);
  expect(island.dataset).toEqual({});
  fire('wharf:hydrated', { target: island });
  expect(button.done).toBe(1);
});

test('Enter in a field that has no form waits too; other keys do not', () => {
  const { fire } = pageWithScript();
  const island = islandOf();
  const field = new Thing('field', island);
  expect(fire('keydown', { target: field, key: 'a' }).stopped).toBe(false);
  expect(fire('keydown', { target: field, key: 'Enter' }).stopped).toBe(true);
  fire('wharf:hydrated', { target: island });
  expect(field.done).toBe(1);
});

test('links, what stands outside of islands, and islands that are alive are left alone', () => {
  const { fire } = pageWithScript();
  const liveRoot = { dataset: { live: '' } };
  for (const thing of [
    new Thing('link', islandOf()),
    new Thing('button', null),
    new Thing('button', liveRoot),
  ]) {
    expect(fire('click', { target: thing }).stopped).toBe(false);
  }
});

test('a button of the page itself waits for its script, in an island for both', () => {
  const { fire, html } = pageWithScript();
  const logout = new Thing('of the page', null);
  const island = islandOf();
  const copy = new Thing('of the page', island);
  for (const target of [logout, copy]) expect(fire('click', { target }).stopped).toBe(true);

  fire('wharf:hydrated', { target: island });
  island.dataset.live = '';
  expect([logout.done, copy.done]).toEqual([0, 1]);
  expect(fire('click', { target: copy }).stopped).toBe(true);

  html.dataset.live = '';
  fire('wharf:hydrated', { target: html });
  expect([logout.done, copy.done]).toEqual([1, 2]);
  expect(html.dataset).toEqual({ live: '' });
  expect(fire('click', { target: logout }).stopped).toBe(false);
});
