import { t } from 'elysia';

/** What has arrived of a video that is sent in parts. */
export const ReceivedAnswer = t.Object({ received: t.Integer(), total: t.Integer() });
export const ProbeAnswer = t.Object({ resolution: t.String() });
export const UploadAnswer = t.Object({
  received: t.Array(t.Integer()),
  total: t.Integer(),
  fileId: t.Nullable(t.String()),
  expires: t.String(),
});
