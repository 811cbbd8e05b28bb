import { Elysia } from 'elysia';
import { CLIP, clipUrl } from '../../web/assets/clip.ts';
import { renderEmbed } from './document.tsx';
import { Player } from './player.tsx';

/**
 * At `CLIP_PAGE`, the player with a clip of our own, which needs no bucket and belongs to nobody.
 * A visitor of this page has asked for the video, so it plays at once where the browser allows that.
 */
export function samplePages() {
  return new Elysia({ name: 'sample-pages', detail: { hide: true } }).get('/embed/sample', () =>
    renderEmbed({
      status: 200,
      cdnUrls: [],
      hasPlayer: true,
      body: (
        <Player
          url={clipUrl('master.m3u8')}
          poster={clipUrl('poster.webp')}
          previews={clipUrl('previews.vtt')}
          duration={CLIP.duration}
          thumbhash={CLIP.thumbhash}
          isEarly={false}
          playsAtOnce
        />
      ),
    }),
  );
}
