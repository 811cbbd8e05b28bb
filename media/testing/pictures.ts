import { sharp } from '../image/sharp.ts';

export const SECRETS = ['Secret Author', 'SECRET-XMP', 'GPSLat'] as const;
const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="SECRET-XMP GPSLat"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** Returns a picture that differs in each corner, so that rotating or mirroring it shows. */
export function picture(width = 48, height = 32) {
  const raw = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    const x = at % width;
    const y = Math.floor(at / width);
    raw.set([(x * 255) / width, (y * 255) / height, (x * y) % 256], at * 3);
  }
  return sharp(raw, { raw: { width, height, channels: 3 } });
}

/** Returns the same with a colour profile, EXIF with author and place, XMP, and an orientation. */
export function telltale(orientation = 1, width?: number, height?: number) {
  return picture(width, height)
    .withIccProfile('p3')
    .withExif({
      IFD0: { Artist: 'Secret Author', Orientation: String(orientation) },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1', GPSAreaInformation: 'GPSLat' },
    })
    .withXmp(XMP)
    .withMetadata({ orientation });
}

/** Returns the pixels as a browser shows them, upright. */
export function pixels(image: Uint8Array | string): Promise<Buffer> {
  return sharp(image, { animated: false }).autoOrient().raw().toBuffer();
}

/** Returns all frames of an animation, stacked in one image. */
export function frames(image: Uint8Array | string): Promise<Buffer> {
  return sharp(image, { animated: true }).raw().toBuffer();
}

/** Returns a GIF of three frames in different colours, which plays twice after the first time. */
export async function animation(delay = [100, 200, 300]) {
  const colours = ['#204080', '#802040', '#408020'];
  const stills = colours.map((colour) => picture(24, 16).tint(colour).png().toBuffer());
  return sharp(await Promise.all(stills), { join: { animated: true } }).gif({ delay, loop: 2 });
}
