import { t } from 'elysia';
import { listQuery } from '../../web/http/list-query.ts';

/** An empty filter counts as unset. */
export const FileListQuery = t.Object({
  ...listQuery,
  access: t.Optional(
    t.Union([t.Literal('public'), t.Literal('private'), t.Literal('')], {
      error: 'access must be public or private.',
    }),
  ),
  file_type: t.Optional(
    t.Union([t.Literal('image'), t.Literal('video'), t.Literal('')], {
      error: 'file_type must be image or video.',
    }),
  ),
});

const nullableInteger = t.Nullable(t.Integer());

export const FileAnswer = t.Object({
  id: t.String(),
  name: t.String(),
  size: t.Integer(),
  file_type: t.Union([t.Literal('image'), t.Literal('video')]),
  access: t.Union([t.Literal('public'), t.Literal('private')]),
  status: t.Union([t.Literal('processing'), t.Literal('success'), t.Literal('error')]),
  progress: t.Integer(),
  date: t.String(),
  url: t.Nullable(t.String()),
  width: nullableInteger,
  height: nullableInteger,
  duration: nullableInteger,
  playable: t.Boolean(),
  thumbhash: t.Nullable(t.String()),
  poster: t.Nullable(t.String()),
  previews: t.Nullable(t.String()),
  embed: t.Nullable(t.String()),
  kept_original: t.Boolean(),
  sha256: t.Nullable(t.String()),
  error: t.Nullable(t.String()),
});

export const FileDetailAnswer = t.Object({
  ...FileAnswer.properties,
  renditions: t.Nullable(
    t.Array(
      t.Object({
        name: t.String(),
        width: nullableInteger,
        height: nullableInteger,
        bytes: t.Integer(),
        url: t.Nullable(t.String()),
      }),
    ),
  ),
  attempts: nullableInteger,
  bandwidth: t.Object({ month: t.Integer(), total: t.Integer() }),
  jwt: t.String(),
});

export const FilePageAnswer = t.Object({
  data: t.Array(FileAnswer),
  nextId: t.Nullable(t.String()),
  jwt: t.String(),
});
