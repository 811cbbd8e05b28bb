import { expect, test } from 'bun:test';
import { DAY, HOUR } from '../limits.ts';
import { isTimeZone, startOfDay } from './time-zones.ts';

test.each([
  ['UTC', '2026-11-21', '2026-11-21T00:00:00Z', 24],
  ['Pacific/Auckland', '2026-11-21', '2026-11-20T11:00:00Z', 24],
  ['Pacific/Auckland', '2026-06-21', '2026-06-20T12:00:00Z', 24],
  ['Pacific/Auckland', '2026-09-27', '2026-09-26T12:00:00Z', 23],
  ['Pacific/Auckland', '2026-04-05', '2026-04-04T11:00:00Z', 25],
  ['America/Los_Angeles', '2026-11-21', '2026-11-21T08:00:00Z', 24],
  ['America/Los_Angeles', '2026-03-08', '2026-03-08T08:00:00Z', 23],
  ['America/Los_Angeles', '2026-11-01', '2026-11-01T07:00:00Z', 25],
  ['Asia/Kathmandu', '2026-11-21', '2026-11-20T18:15:00Z', 24],
  ['Pacific/Kiritimati', '2026-11-21', '2026-11-20T10:00:00Z', 24],
  ['Pacific/Pago_Pago', '2026-11-21', '2026-11-21T11:00:00Z', 24],
  // Clocks go from midnight to one o'clock, and from midnight back to eleven.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00Z', 23],
  ['America/Santiago', '2026-04-04', '2026-04-04T03:00:00Z', 25],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:30:00Z', 23.5],
  // Samoa moved over the date line, and had no such Friday.
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z', 0],
  ['Pacific/Auckland', '9999-12-31', '9999-12-30T11:00:00Z', 24],
  ['Pacific/Auckland', '0001-01-01', '0001-01-01T00:00:00Z', 24],
])('a day in %s, %s, begins at %s and has %p hours', (zone, day, start, hours) => {
  const utcDay = Date.parse(day);
  const first = startOfDay(utcDay, zone);
  expect(new Date(first).toISOString()).toBe(new Date(start).toISOString());
  expect((startOfDay(utcDay + DAY, zone) - first) / HOUR).toBe(hours);
});

test.each([
  ['UTC', true],
  ['Europe/Berlin', true],
  ['America/Argentina/Buenos_Aires', true],
  ['Asia/Kathmandu', true],
  ['+05:30', false],
  ['Europe/Nowhere', false],
  ['Local', false],
  ['', false],
])('%p is a time zone: %p', (name, isZone) => {
  expect(isTimeZone(name)).toBe(isZone);
});
