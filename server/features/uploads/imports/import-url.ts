import type { UrlImportBody } from '../../../contract/schemas/imports.ts';
import type { FileWire } from '../../../contract/wire.ts';
import { AppError, conflict, invalid, tooLarge } from '../../../errors.ts';
import type { Download, OpenDownload } from '../../../platform/outbound/download.ts';
import { DownloadError } from '../../../platform/outbound/download-error.ts';
import { actorOf } from '../../access/principal.ts';
import { fileLimitOf, requireAllowedType } from '../../buckets/service.ts';
import { type Files, keptName } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { discardFailed, type OriginalDeps } from '../form/store-original.ts';
import { type StoredPlain, storePlain } from '../form/store-plain.ts';
import { placeOf, requireMayReplace } from '../parsing/destination.ts';
import {
  type IdentifiedUpload,
  identifyUpload,
  type SizeLimits,
  serverLimitOf,
} from '../parsing/identify.ts';
import { peekStream, SNIFF_BYTES } from '../parsing/sniff.ts';
import { checkedBody } from '../sessions/checked-body.ts';
import { requireFreePath, toCompleteUpload } from '../sessions/complete-upload.ts';
import { parseMetadata, preconditionsOf, type UploadDescription } from '../sessions/description.ts';
import { downloadName } from './download-name.ts';

export type ImportDeps = OriginalDeps & SizeLimits & { files: Files; openDownload: OpenDownload };

type UrlImport = { url: URL; metadata: Record<string, string> };

/**
 * Returns what a call asks for. Throws invalid, and unauthorized where it would replace a file that its caller may not
 * delete.
 */
export function parseUrlImport(
  caller: Caller,
  { url: text, ...fields }: typeof UrlImportBody.static,
  headers: Headers,
): UrlImport {
  if (!URL.canParse(text)) throw invalid('url must be an http or https URL.');
  const metadata = { ...fields, ...preconditionsOf(headers) };
  requireMayReplace(caller, parseMetadata(metadata).destination);
  return { url: new URL(text), metadata };
}

/**
 * Downloads a file and returns it as an upload of the same bytes would. Throws AppError, and then nothing of it stays
 * stored.
 * @param signal ends it
 */
export async function importUrl(
  deps: ImportDeps,
  caller: Caller,
  { url, metadata }: UrlImport,
  signal: AbortSignal,
): Promise<FileWire> {
  const download = await deps.openDownload(url, signal).catch(rethrowFailed);
  try {
    const filename = downloadName(download);
    const about = parseMetadata({ ...metadata, ...(filename && { filename }) });
    return await createFile(deps, caller, about, await receive(deps, caller, about, download));
  } catch (error) {
    return rethrowFailed(error);
  } finally {
    download.close();
  }
}

function rethrowFailed(error: unknown): never {
  if (!(error instanceof DownloadError)) throw error;
  throw new AppError(422, 'download-failed', `The file could not be downloaded. ${error.message}`);
}

type Received = StoredPlain & IdentifiedUpload;

/** Stores the bytes of a download. They are refused as early as its type and its length are known. */
async function receive(
  deps: ImportDeps,
  { bucket }: Caller,
  about: UploadDescription,
  { body: source, length }: Download,
): Promise<Received> {
  const { head, body } = await peekStream(source, SNIFF_BYTES);
  const identified = await identifyUpload(about, head, bucket.id);
  requireAllowedType(bucket, identified.contentType);
  const limit = fileLimitOf(bucket, serverLimitOf(deps, identified.type));
  if ((length ?? 0) > limit.maxBytes) throw tooLarge(limit.tooLarge);
  await requireFreePath(deps.files, bucket.id, about, identified.type);
  const { name } = placeOf(about.destination, keptName(about.fileName, identified.type));
  const options = { name, length, maxBytes: limit.maxBytes };
  const limited = checkedBody(body, (arrived) => {
    if (arrived > limit.maxBytes) throw tooLarge(limit.tooLarge);
  });
  const stored = await storePlain(deps, bucket, options, limited);
  return { ...stored, ...identified };
}

const expired = () => conflict('The import took too long. Try again.');

/** Makes stored bytes a file, as an upload of its type does. */
async function createFile(
  deps: ImportDeps,
  caller: Caller,
  about: UploadDescription,
  { type, contentType, ...stored }: Received,
): Promise<FileWire> {
  const { files } = deps;
  const { bucket, principal } = caller;
  try {
    if (type === 'file') {
      const { destination, access, preconditions } = about;
      return await files.createPlain({
        ...{ ...stored, ...placeOf(destination, keptName(about.fileName, 'file')), contentType },
        ...{ onConflict: destination.onConflict, preconditions, bucket, access },
        ...{ actor: actorOf(principal), expired },
      });
    }
    const { fileId, prefix, size, key } = stored;
    const content = type === 'image' ? { type, key } : { type, keys: [key] };
    const bytes = { fileId, prefix, size, thumbnail: null, ...content };
    const file = await files.fromUpload({ ...toCompleteUpload(about, caller, bytes), expired });
    files.announceCreated(file, bucket);
    return file;
  } catch (error) {
    await discardFailed(deps, [stored], error);
    throw error;
  }
}
