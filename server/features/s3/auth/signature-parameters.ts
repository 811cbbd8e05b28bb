import { S3Error } from '../errors.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';
import type { Proof, SignedRequest } from './types.ts';

/** What a request says about its signature. */
export type SignatureParameters = {
  proof: Proof;
  accessKeyId: string;
  /** The day of the scope, as `20130524`. */
  date: string;
  region: string;
  /** The scope as it was signed, such as `20130524/us-east-1/s3/aws4_request`. */
  scope: string;
  /** In lower case. */
  signedHeaders: string[];
  /** In hex. */
  signature: string;
  /** When it was signed, as `20130524T000000Z`, and in epoch milliseconds. */
  timestamp: string;
  at: number;
  /** For how many seconds a presigned URL is valid; null for a request that is signed by header. */
  expiresIn: number | null;
};

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_AUTHORIZATION_LENGTH = 8192;
const MAX_EXPIRES_SECONDS = 7 * 24 * 60 * 60;
const SCOPE = /^(\d{8})\/([A-Za-z0-9._-]{0,64})\/s3\/aws4_request$/;
const ACCESS_KEY_ID = /^[\w.+=@-]{3,128}$/;
const HEADER_NAMES = /^[a-z0-9!#$%&'*+.^_`|~-]+(;[a-z0-9!#$%&'*+.^_`|~-]+)*$/;
const SIGNATURE = /^[0-9a-f]{64}$/;

/** Returns what a request says about its signature; null for an anonymous one. Throws S3Error for a malformed one. */
export function readSignature(request: SignedRequest): SignatureParameters | null {
  const authorization = request.headers.get('authorization');
  const query = new URLSearchParams(request.rawQuery);
  const isPresigned = query.has('X-Amz-Algorithm') || query.has('X-Amz-Signature');
  const isOfVersion2 = query.has('AWSAccessKeyId') && query.has('Signature');
  if (isOfVersion2 || authorization?.startsWith('AWS ')) throw signatureVersion2();
  if (authorization === null) return isPresigned ? readQuery(query) : null;
  if (!isPresigned) return readHeader(authorization, request.headers);
  throw new S3Error(
    'InvalidArgument',
    'The request is signed both by the Authorization header and by the query. Use one of them.',
  );
}

const signatureVersion2 = () =>
  new S3Error(
    'InvalidRequest',
    'This server supports Signature Version 4 (AWS4-HMAC-SHA256) only. Turn on Signature Version 4 in the client.',
  );

function readHeader(authorization: string, headers: Headers): SignatureParameters {
  const [algorithm = '', ...rest] = authorization.split(' ');
  if (algorithm !== ALGORITHM) throw unsupportedAlgorithm(algorithm);
  if (authorization.length > MAX_AUTHORIZATION_LENGTH) throw malformed('it is too long');
  const fields = new Map(
    rest
      .join('')
      .split(',')
      .map((field) => {
        const at = field.indexOf('=');
        return [field.slice(0, at), field.slice(at + 1)];
      }),
  );
  return {
    proof: 'header',
    ...readCommon(
      {
        credential: fields.get('Credential'),
        signedHeaders: fields.get('SignedHeaders'),
        signature: fields.get('Signature'),
        timestamp: headers.get('x-amz-date') ?? dateHeader(headers),
      },
      malformed,
    ),
    expiresIn: null,
  };
}

/** Returns the time of the header `Date`, which older clients sign instead of `x-amz-date`. */
function dateHeader(headers: Headers): string | undefined {
  const at = Date.parse(headers.get('date') ?? '');
  return Math.abs(at) < Date.UTC(9999, 0) ? formatTimestamp(at) : undefined;
}

function readQuery(query: URLSearchParams): SignatureParameters {
  const get = (name: string) => query.get(name) ?? undefined;
  const algorithm = get('X-Amz-Algorithm') ?? '';
  if (algorithm !== ALGORITHM) throw unsupportedAlgorithm(algorithm);
  const expires = get('X-Amz-Expires') ?? '';
  const expiresIn = /^\d{1,7}$/.test(expires) ? Number(expires) : Number.NaN;
  if (!(expiresIn <= MAX_EXPIRES_SECONDS)) {
    throw malformedQuery('X-Amz-Expires must be a number of seconds up to 604800 (a week)');
  }
  return {
    proof: 'presigned',
    ...readCommon(
      {
        credential: get('X-Amz-Credential'),
        signedHeaders: get('X-Amz-SignedHeaders'),
        signature: get('X-Amz-Signature'),
        timestamp: get('X-Amz-Date'),
      },
      malformedQuery,
    ),
    expiresIn,
  };
}

/**
 * Returns what the fields of a form say about the signature of its policy.
 * @param fields by their names in lower case
 * @throws S3Error where they are missing or malformed
 */
export function readFormSignature(
  fields: ReadonlyMap<string, string>,
): Omit<SignatureParameters, 'proof' | 'expiresIn'> {
  const get = (name: string) => fields.get(`x-amz-${name}`);
  const algorithm = get('algorithm') ?? '';
  if (algorithm !== ALGORITHM) throw unsupportedAlgorithm(algorithm);
  const texts = {
    ...{ credential: get('credential'), signature: get('signature'), timestamp: get('date') },
    // Of a form only the policy is signed.
    signedHeaders: 'host',
  };
  return readCommon(texts, malformedForm);
}

type Texts = Partial<Record<'credential' | 'signedHeaders' | 'signature' | 'timestamp', string>>;

function readCommon(texts: Texts, toError: (reason: string) => S3Error) {
  const { credential = '', signedHeaders = '', signature = '', timestamp = '' } = texts;
  const slash = credential.indexOf('/');
  const accessKeyId = credential.slice(0, Math.max(slash, 0));
  const scope = credential.slice(slash + 1);
  const [, date, region] = SCOPE.exec(scope) ?? [];
  if (!ACCESS_KEY_ID.test(accessKeyId) || date === undefined || region === undefined) {
    throw toError('the credential must have the form KEY/YYYYMMDD/REGION/s3/aws4_request');
  }
  if (!HEADER_NAMES.test(signedHeaders)) {
    throw toError('the signed headers must be names in lower case with semicolons in between');
  }
  if (!SIGNATURE.test(signature))
    throw toError('the signature must be 64 digits of lower-case hex');
  const at = parseTimestamp(timestamp);
  if (at === null) throw toError('x-amz-date must be a time such as 20130524T000000Z');
  if (!timestamp.startsWith(date)) {
    throw toError(`the credential is of ${date}, but the request was signed at ${timestamp}`);
  }
  const names = signedHeaders.split(';');
  return { accessKeyId, date, region, scope, signedHeaders: names, signature, timestamp, at };
}

const malformed = (reason: string) =>
  new S3Error('AuthorizationHeaderMalformed', `The Authorization header is malformed: ${reason}.`);

const malformedQuery = (reason: string) =>
  new S3Error(
    'AuthorizationQueryParametersError',
    `The signature in the query is malformed: ${reason}.`,
  );

const malformedForm = (reason: string) =>
  new S3Error('InvalidArgument', `The signature in the form is malformed: ${reason}.`);

const unsupportedAlgorithm = (algorithm: string) =>
  new S3Error(
    'InvalidArgument',
    `The authorization type ${JSON.stringify(algorithm.slice(0, 40))} isn't supported. Use ${ALGORITHM}.`,
  );
