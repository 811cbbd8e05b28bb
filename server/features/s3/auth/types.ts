import type { S3KeyPrincipal } from '../../access/principal.ts';
import type { Checksum } from '../checksums/algorithms.ts';

/** A request as it was sent, as far as its signature covers it. */
export type SignedRequest = {
  method: string;
  /** The path with its percent-encoding, without the query. */
  rawPath: string;
  /** The query with its percent-encoding, without the question mark. */
  rawQuery: string;
  headers: Headers;
};

/** How Signature Version 4 was proved: by the header `Authorization`, or by the query of a presigned URL. */
export type Proof = 'header' | 'presigned';

/**
 * Who sends a request to the S3 API. A presigned URL is opened by whom its maker gave it to, so like an anonymous
 * request it is held to the delivery rules of its bucket; a request that is signed by header is not.
 */
export type S3Caller =
  | { kind: 'anonymous' }
  | {
      kind: 'key';
      proof: Proof;
      principal: S3KeyPrincipal;
      /** How the body is sent, for `receivePayload`. */
      payload: Payload;
      /**
       * Throws S3Error where the key was deleted or its account banned since. A key may expire: what it has begun goes
       * on.
       */
      recheck: () => Promise<void>;
    };

/** How the body of a signed request is sent. */
export type Payload =
  /** As it is, and covered by nothing: `UNSIGNED-PAYLOAD`, and presigned URLs. */
  | { mode: 'unsigned' }
  /** As it is. Its SHA-256 in lower-case hex is covered by the signature. */
  | { mode: 'signed'; sha256: string }
  /** In the chunks of `aws-chunked`. */
  | {
      mode: 'chunked';
      /** Whether trailing headers follow the chunks. */
      hasTrailer: boolean;
      /** What chunks are signed with; null where they aren't. */
      signing: ChunkSigning | null;
    };

/** What the signatures of chunks and trailers are made with. */
export type ChunkSigning = {
  /** The signature of the request, with which the chain of signatures begins. */
  seed: string;
  signingKey: Uint8Array;
  /** The time of the request, such as `20130524T000000Z`. */
  timestamp: string;
  /** The scope of the credential, such as `20130524/us-east-1/s3/aws4_request`. */
  scope: string;
};

/** A body without its framing. */
export type ReceivedPayload = {
  /**
   * The bytes of the object. The stream fails with an S3Error instead of ending where a signature, a length or a
   * checksum doesn't match, so that nothing is stored.
   */
  body: ReadableStream<Uint8Array>;
  /** How many bytes the client has promised. The stream has exactly as many; null where it didn't say. */
  size: number | null;
  /** Returns the checksum that the client sent and that has matched, to be kept; null for none. Valid after the end. */
  checksum: () => Checksum | null;
};
