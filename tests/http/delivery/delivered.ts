import { uploadFile } from '../../support/client/api.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { groupBucket } from '../../support/server/group-server.ts';

/*
 * One bucket with the files that tests of delivery request. They share it, because two encodes take longer than
 * all their requests. Its API key may change from file to file.
 */

export const { server, user, bucket } = await groupBucket();

const upload = (
  kind: 'image' | 'video',
  fields: Record<string, string>,
  file: Buffer,
  name: string,
) => uploadFile(server, bucket, kind, fields, file, name);
const picture = await photo();
const film = await clip({ seconds: 7 });
const previews = { timeline_preview: 'yes' };

export const [open, secret, video, secretVideo] = await Promise.all([
  upload('image', { access: 'public', webp: 'yes' }, picture, 'Grüße an Anna.jpg'),
  upload('image', { access: 'private', webp: 'yes' }, picture, 'secret.jpg'),
  upload('video', { access: 'public', resolution: '320x180', ...previews }, film, 'Crane & 高.mp4'),
  upload(
    'video',
    { access: 'private', resolution: '320x180,160x90', ...previews },
    film,
    'clip.mp4',
  ),
]);
