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
    'A form with its fields before the file: at most 50 MiB and 100 megapixels of JPEG, PNG, WebP, GIF or SVG. Answers 201 with the file, which is processed from then on.',
  tags: ['Uploads'],
  security,
  requestBody: form({ access, webp: yes, file }, ['file']),
};

export const VIDEO_UPLOAD_DESCRIPTION = {
  summary: 'Upload one chunk of a video',
  description:
    'Every chunk but the last has exactly 9 MiB; any order, any number of times, within 24 hours. The upload is known by client_id, and the fields of chunk 0 count. Answers 202 with how many have arrived, and 201 with the file for the chunk that completes it.',
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
  summary: "Find a video's size before it is uploaded",
  description:
    'Send the first 9 MiB or less as file. Where the answer is 422 with the code need-tail, as for a video whose index stands at its end, send the same again with the last 9 MiB or less as tail. Nothing of it is kept.',
  tags: ['Uploads'],
  security,
  requestBody: form({ file, tail: file }, ['file']),
};

export const PROGRESS_DESCRIPTION = {
  summary: 'Which chunks of a video upload have arrived',
  description: 'For going on after a lost connection: send only the others, within 24 hours.',
  tags: ['Uploads'],
  security,
};

export const STOP_DESCRIPTION = {
  summary: 'Stop a video upload and remove what was sent',
  tags: ['Uploads'],
  security,
  ...openApiResponses({
    204: 'Stopped; nothing of it is kept.',
    409: 'It is complete: delete the file instead.',
  }),
};
