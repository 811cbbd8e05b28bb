import { openApiResponses } from '../../../web/http/openapi-responses.ts';

/** Uploads read their forms themselves, as streams, so their schemas are written down here. */

const security: Record<string, string[]>[] = [{ apiKey: [] }, { session: [] }, { writeToken: [] }];
const access = { type: 'string', enum: ['public', 'private'] } as const;
const yes = { type: 'string', enum: ['yes', ''] } as const;
const file = { type: 'string', format: 'binary' } as const;
const integer = { type: 'integer', minimum: 0 } as const;

const form = (properties: Record<string, object>, required: string[]) => ({
  required: true,
  content: {
    'multipart/form-data': { schema: { type: 'object' as const, properties, required } },
  },
});

export const IMAGE_UPLOAD_DESCRIPTION = {
  summary: 'Upload an image',
  description:
    'Send a form with its fields before the file: a JPEG, PNG, WebP, GIF or SVG of at most 50 MiB and 100 megapixels. Returns 201 with the file, which is then processed.',
  tags: ['Uploads'],
  security,
  requestBody: form({ access, webp: yes, file }, ['file']),
};

export const VIDEO_UPLOAD_DESCRIPTION = {
  summary: 'Upload one chunk of a video',
  description:
    'Every chunk except the last must be exactly 9 MiB. Send chunks in any order within 24 hours; repeating one is safe. client_id identifies the upload, and the fields of chunk 0 apply. Returns 202 with the number of received chunks, and 201 with the file for the chunk that completes it.',
  tags: ['Uploads'],
  security,
  requestBody: form(
    {
      chunk_number: integer,
      total_chunks: { ...integer, minimum: 1 },
      client_id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,100}$', example: 'holiday-1' },
      access,
      resolution: { type: 'string', example: '1280x720,640x360' },
      timeline_preview: yes,
      thumbnail: file,
      file,
    },
    ['chunk_number', 'total_chunks', 'client_id', 'file'],
  ),
};

export const PROBE_DESCRIPTION = {
  summary: "Detect a video's resolution before uploading it",
  description:
    'Send the first 9 MiB or less as file. If the response is 422 with the code need-tail, as for a video whose index is at the end of the file, repeat the call and add the last 9 MiB or less as tail. Nothing is stored.',
  tags: ['Uploads'],
  security,
  requestBody: form({ file, tail: file }, ['file']),
};

export const PROGRESS_DESCRIPTION = {
  summary: 'List the received chunks of a video upload',
  description: 'To resume after a lost connection, send only the missing chunks, within 24 hours.',
  tags: ['Uploads'],
  security,
};

export const STOP_DESCRIPTION = {
  summary: 'Cancel a video upload and delete its chunks',
  tags: ['Uploads'],
  security,
  ...openApiResponses({
    204: 'Cancelled; nothing is stored.',
    409: 'The upload is complete. Delete the file instead.',
  }),
};
