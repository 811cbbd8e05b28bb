import { Elysia } from 'elysia';
import type { FileWire } from '../../contract/wire.ts';
import { AppError, conflict, notFound } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import { CLIP, clipUrl } from '../../web/assets/assets.ts';
import { addToken, type Delivery, hostsOf, requireReferrer } from '../delivery/service.ts';
import type { Files } from '../files/service.ts';
import { renderEmbed } from './document.tsx';
import { Player } from './player.tsx';

/** After how many seconds the page of a video that can't be played yet is reloaded. */
const REFRESH_SECONDS = 5;

/** The texts that replace those of delivery, by the code of the error. */
const TEXTS: Record<string, string> = {
  'not-found': 'Video not found. It may have been deleted.',
  unauthorized: 'This video is private. Its URL needs a token.',
  'bad-token': "The token isn't valid for this video or has expired.",
};

type Services = {
  delivery: Pick<Delivery, 'authorize'>;
  files: Pick<Files, 'find'>;
  cdnUrls: string[];
  appUrl: string;
};

/**
 * Mounts `/embed/{bucketID}/{fileID}`, a page with only the player for frames on any site. It reads
 * no cookie: a private video needs `?jwt=`, and the player adds the token to the URLs of its
 * objects. `?autoplay=1` starts the video if the browser allows it.
 */
export function embedPages({ delivery, files, cdnUrls, appUrl }: Services) {
  const ownHosts = hostsOf([appUrl]);
  const show = async (
    { bucketID: bucketId, fileID: fileId }: { bucketID: string; fileID: string },
    token: string | null,
    headers: Headers,
  ) => {
    if (!isId(bucketId) || !isId(fileId)) throw notFound('File');
    const { token: fileToken, bucket } = await delivery.authorize({ bucketId, fileId, token });
    requireReferrer(bucket, headers, ownHosts);
    const file = await files.find(fileId);
    if (!file) throw notFound('File');
    return playing(file, fileToken);
  };

  return new Elysia({ name: 'embed-pages', detail: { hide: true } }).get(
    '/embed/:bucketID/:fileID',
    async ({ request, params }) => {
      const { searchParams } = new URL(request.url);
      const token = searchParams.get('jwt');
      const autoplays = searchParams.get('autoplay') === '1';
      try {
        const video = await show(params, token, request.headers);
        const body = <Player {...video} autoplays={autoplays} />;
        return renderEmbed({ status: 200, cdnUrls, hasPlayer: true, body });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return renderEmbed({
          status: error.status,
          headers: { ...error.headers, 'x-error-code': error.code },
          refreshSeconds: error.code === 'not-ready' ? REFRESH_SECONDS : undefined,
          cdnUrls,
          body: <p className="notice">{TEXTS[error.code] ?? error.text}</p>,
        });
      }
    },
  );
}

/** Returns the props of the player. Throws where the file can't be played. */
function playing(file: FileWire, token: string | null) {
  if (file.file_type !== 'video')
    throw new AppError(404, 'not-a-video', 'This file is not a video.');
  if (file.status === 'error') {
    throw new AppError(404, 'not-made', 'This video could not be processed.');
  }
  if (!file.playable || file.url === null) {
    throw conflict(
      "This video is being processed. It will play here when it's ready.",
      'not-ready',
    );
  }
  const withToken = (url: string) => (token ? addToken(url, token) : url);
  return {
    url: withToken(file.url),
    poster: file.poster && withToken(file.poster),
    previews: file.previews && withToken(file.previews),
    duration: file.duration,
    thumbhash: file.thumbhash,
    isProcessing: file.status === 'processing',
  };
}

/**
 * Mounts the player with our own clip at `CLIP_PAGE`, which needs no bucket. Visitors of this page
 * have pressed play before, so the clip starts at once if the browser allows it.
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
          isProcessing={false}
          autoplays
        />
      ),
    }),
  );
}
