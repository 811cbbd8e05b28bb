import { expect, test } from 'bun:test';
import { createRegionRouter, regionOf, rootOf } from './region-routing.ts';

const CDN = 'https://cdn.example';

test('without regions of their own all are this server', () => {
  const regionRouter = createRegionRouter(CDN, {});
  for (const region of [null, 'WEUR', 'APAC'] as const) {
    expect(regionRouter(region)).toEqual({ root: '', cdnUrl: CDN });
  }
  expect(regionRouter).toMatchObject({ regionsWithStorage: [], cdnUrls: [CDN] });
});

test('a region has what it is given, storage or a delivery host or both', () => {
  const regionRouter = createRegionRouter(CDN, {
    WEUR: { hasStorage: true, cdnUrl: 'https://eu.example' },
    APAC: { hasStorage: false, cdnUrl: 'https://ap.example' },
    OC: { hasStorage: true, cdnUrl: null },
  });
  expect(regionRouter('WEUR')).toEqual({ root: 'WEUR/', cdnUrl: 'https://eu.example' });
  expect(regionRouter('APAC')).toEqual({ root: '', cdnUrl: 'https://ap.example' });
  expect(regionRouter('OC')).toEqual({ root: 'OC/', cdnUrl: CDN });
  expect(regionRouter('ENAM')).toEqual({ root: '', cdnUrl: CDN });
  expect(regionRouter.regionsWithStorage).toEqual(['WEUR', 'OC']);
  expect(regionRouter.cdnUrls).toEqual([CDN, 'https://eu.example', 'https://ap.example']);
});

test('a key says where its object is', () => {
  expect(regionOf('WEUR/f/b/x')).toBe('WEUR');
  for (const key of ['f/b/x', 'WEURO/f', 'weur/f', 'WEUR', '', 'toString/x']) {
    expect(regionOf(key)).toBeNull();
  }
  expect([rootOf('OC/u/a/'), rootOf('u/a/'), rootOf(null)]).toEqual(['OC/', '', '']);
});
