import { expect, test } from 'bun:test';
import { renditionsOf } from './renditions.ts';

const video = {
  entry: 'master.m3u8',
  width: 1280,
  height: 720,
  duration: 8000,
  poster: 'poster.webp',
  previews: 'previews.vtt',
  objects: [
    { name: 'poster.webp', size: 5 },
    { name: 'audio/init.mp4', size: 1 },
    { name: 'audio/playlist.m3u8', size: 2 },
    { name: '640x360/seg_00000.m4s', size: 100 },
    { name: '640x360/playlist.m3u8', size: 10 },
    { name: 'early.m3u8', size: 3 },
    { name: '1280x720/seg_00000.m4s', size: 200 },
    { name: '1280x720/iframes.m3u8', size: 20 },
    { name: 'previews/sheet_000.webp', size: 30 },
    { name: 'audio-2/init.mp4', size: 6 },
    { name: 'previews.vtt', size: 4 },
    { name: 'master.m3u8', size: 7 },
  ],
};

test('a video is its sizes, largest first, each with all its segments, and what stands beside them', () => {
  const none = { width: null, height: null };
  expect(renditionsOf(video, 0)).toEqual([
    { name: '1280x720', width: 1280, height: 720, bytes: 220, entry: '1280x720/playlist.m3u8' },
    { name: '640x360', width: 640, height: 360, bytes: 110, entry: '640x360/playlist.m3u8' },
    { name: 'poster', ...none, bytes: 5, entry: 'poster.webp' },
    { name: 'audio', ...none, bytes: 3, entry: 'audio/playlist.m3u8' },
    { name: 'playlists', ...none, bytes: 10, entry: 'master.m3u8' },
    { name: 'previews', ...none, bytes: 34, entry: 'previews.vtt' },
    { name: 'audio-2', ...none, bytes: 6, entry: 'audio-2/playlist.m3u8' },
  ]);
});

test('an image is what is delivered, and its original where that is kept, which nobody can open', () => {
  const photo = { entry: 'photo.webp', width: 1200, height: 800, duration: null };
  const objects = [{ name: 'photo.webp', size: 50 }];
  expect(renditionsOf({ ...photo, objects }, 90)).toEqual([
    { name: 'delivered', width: 1200, height: 800, bytes: 50, entry: 'photo.webp' },
    { name: 'original', width: null, height: null, bytes: 90, entry: null },
  ]);
});

test('no byte is left out', () => {
  const sum = renditionsOf(video, 1000).reduce((bytes, one) => bytes + one.bytes, 0);
  expect(sum).toBe(video.objects.reduce((bytes, { size }) => bytes + size, 1000));
});
