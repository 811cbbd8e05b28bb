import { expect, test } from 'bun:test';
import { encodingRate, parseRate } from './frame-rate.ts';

const encodes = (mean: string, base: string, interlaced = false) => {
  const rate = encodingRate(parseRate(mean), parseRate(base), interlaced);
  return `${rate.frames}/${rate.seconds}`;
};

test.each([
  ['a constant rate stays', '25/1', '25/1', '25/1'],
  ['NTSC stays exact', '30000/1001', '30000/1001', '30000/1001'],
  ['a rounded NTSC is made exact', '2997/100', '2997/100', '30000/1001'],
  ['a mean moved by a rounded end goes by the time stamps', '16000/533', '30/1', '30/1'],
  ['NTSC with time stamps taken for 30 stays exact', '2997/100', '30/1', '30000/1001'],
  ['120 is halved', '120/1', '120/1', '60/1'],
  ['240 is quartered', '240/1', '240/1', '60/1'],
  ['a phone that skips frames keeps the rate of its time stamps', '1790/61', '30/1', '30/1'],
  ['a mean between rates goes up to the next', '27/1', '90000/1', '30000/1001'],
  ['a still screen recording keeps its bursts smooth', '3/1', '1000/1', '24000/1001'],
  ['an unknown mean uses the time stamps', '0/0', '50/1', '50/1'],
  ['milliseconds are not a rate', '1000/1', '1000/1', '30/1'],
  ['nothing known gives 30', '0/0', '0/0', '30/1'],
  ['a slide show gets five frames a second', '1/2', '1/2', '5/1'],
])('%s', (_, mean, base, expected) => {
  const [frames = 0, seconds = 1] = expected.split('/').map(Number);
  const [gotFrames = 0, gotSeconds = 1] = encodes(mean, base).split('/').map(Number);
  expect(gotFrames / gotSeconds).toBeCloseTo(frames / seconds, 4);
});

test('fields of an interlaced source are not taken for frames', () => {
  expect(encodes('25/1', '50/1', true)).toBe('25/1');
});
