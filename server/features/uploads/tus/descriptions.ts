import { uploadDetail } from '../../../web/http/openapi-responses.ts';

/* The library reads the requests, so the API reference describes them by hand. */

type HeaderParameter = { name: string; description: string; required: boolean; schema: object };
const TUS_RESUMABLE: HeaderParameter = {
  name: 'Tus-Resumable',
  description: 'The version of the protocol.',
  required: true,
  schema: { type: 'string', enum: ['1.0.0'], default: '1.0.0' },
};
const byteHeader = (name: string, description: string, example: number): HeaderParameter => ({
  name,
  description,
  required: true,
  schema: { type: 'integer', format: 'int64', minimum: 0, example },
});
const CREATE_HEADERS: HeaderParameter[] = [
  byteHeader('Upload-Length', 'The bytes of the whole file.', 1_048_576),
  {
    name: 'Upload-Metadata',
    description:
      'Keys with values in base64, separated by commas, such as filename, access, path and on_conflict.',
    required: false,
    schema: { type: 'string', example: 'filename aGFyYm91ci5qcGc=,access cHVibGlj' },
  },
];
const RESUME_HEADERS: HeaderParameter[] = [
  byteHeader('Upload-Offset', 'The bytes that the server has already received.', 0),
  {
    name: 'Upload-Checksum',
    description: 'An algorithm, and the checksum of this body in base64. Wrong bytes are refused.',
    required: false,
    schema: { type: 'string', example: 'sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' },
  },
];
type SentHeader = { description: string; schema: { type: 'string' | 'integer'; format?: string } };
type SentHeaders = Record<string, SentHeader>;
const EXPIRES: SentHeader = { description: 'When the upload expires.', schema: { type: 'string' } };
const FILE_ID: SentHeader = {
  description:
    'The id of the file, once the upload is complete; a HEAD request returns it as well.',
  schema: { type: 'string' },
};
const CREATED_HEADERS: SentHeaders = {
  Location: { description: 'The URL of the upload.', schema: { type: 'string' } },
  'Upload-Expires': EXPIRES,
  'X-File-Id': FILE_ID,
};
const RESUMED_HEADERS: SentHeaders = {
  'Upload-Offset': {
    description: 'The bytes that the server has received.',
    schema: { type: 'integer', format: 'int64' },
  },
  'Upload-Expires': EXPIRES,
  'X-File-Id': FILE_ID,
};
const RESUME_BODY = {
  required: true,
  content: {
    'application/offset+octet-stream': {
      schema: { type: 'string' as const, format: 'binary', description: 'The next bytes.' },
    },
  },
};
const RESUME_ERRORS = {
  409: 'Upload-Offset is not where the upload stands.',
  460: "The bytes don't match Upload-Checksum.",
};

/** Adds headers to the descriptions of a call and of its successful response. */
function withHeaders<Detail extends ReturnType<typeof detail>>(
  { detail: described }: Detail,
  taken: HeaderParameter[],
  sent: Record<number, SentHeaders> = {},
) {
  const responses = Object.entries(described.responses).map(([status, response]) => {
    const headers = sent[Number(status)];
    return [status, headers ? { ...response, headers } : response] as const;
  });
  const parameters = [TUS_RESUMABLE, ...taken].map((one) => ({ in: 'header' as const, ...one }));
  return { detail: { ...described, parameters, responses: Object.fromEntries(responses) } };
}

const detail = (operationId: string, summary: string, texts: Record<number, string>) => ({
  detail: {
    ...uploadDetail(operationId, summary, {
      412: 'Tus-Resumable is missing or not 1.0.0.',
      ...texts,
    }).detail,
    description: 'tus 1.0.0, for any tus client; see https://tus.io/protocols/resumable-upload',
  },
});

export const CREATE_DETAIL = withHeaders(
  detail('createTusUpload', 'Start a resumable upload', {
    201: 'Created. Send the rest to the URL in Location.',
  }),
  CREATE_HEADERS,
  { 201: CREATED_HEADERS },
);
const RESUMED = withHeaders(
  detail('resumeTusUpload', 'Continue a resumable upload', {
    204: 'Upload-Offset has the number of received bytes. The last request creates the file.',
    ...RESUME_ERRORS,
  }),
  RESUME_HEADERS,
  { 204: RESUMED_HEADERS },
);
export const RESUME_DETAIL = { detail: { ...RESUMED.detail, requestBody: RESUME_BODY } };
export const CANCEL_DETAIL = withHeaders(
  detail('cancelTusUpload', 'Cancel a resumable upload', { 204: 'Cancelled; nothing is stored.' }),
  [],
);
