import sharp from 'sharp';

/**
 * Configures sharp for small machines and hostile files; everything in media/ imports it from here. One
 * thread per image and no cache are as fast as any other setting with two images at a time, at half the
 * memory. Only the accepted formats have a loader, so a PDF with the name .jpg never reaches its parser.
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
    'VipsForeignLoadTiff',
    // Of HEIF this build has AVIF only.
    'VipsForeignLoadHeif',
    // Not from a file, so that every SVG is checked; see svg.ts.
    'VipsForeignLoadSvgBuffer',
  ],
});

export { sharp };
