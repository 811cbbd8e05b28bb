import sharp from 'sharp';

/**
 * sharp, set up for a small machine and hostile files; everything in media/ imports it from here.
 * One thread for each image and no cache of files: as fast as any setting with two images in
 * flight, at half the memory. Only the five formats we accept have a reader at all, so a TIFF or
 * PDF called .jpg never reaches its parser.
 */
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpeg',
    'VipsForeignLoadPng',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadSvg',
  ],
});

export { sharp };
