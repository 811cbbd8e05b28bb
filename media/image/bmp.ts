import { type ConvertWork, convertImage } from './convert-image.ts';

/** Whether a local file is a BMP by its first bytes. */
export const isBmp = async (path: string): Promise<boolean> =>
  (await Bun.file(path).slice(0, 2).text()) === 'BM';

/**
 * Converts a BMP, which sharp's build can't read, to an uncompressed TIFF in the folder, and returns its
 * path. Throws MediaFailure, or the signal's reason after an abort.
 */
export const convertBmp = (work: ConvertWork): Promise<string> =>
  convertImage(work, {
    format: 'bmp_pipe',
    options: [
      ...['-frames:v', '1', '-c:v', 'tiff', '-compression_algo', 'raw'],
      ...['-f', 'image2', '-update', '1'],
    ],
    name: 'source.tiff',
  });
