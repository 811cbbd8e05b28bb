import type { MainModule } from 'libheif-js/libheif-wasm/libheif-bundle.mjs';
import { lazily } from '../../server/contract/lazily.ts';
import type { Size } from '../../server/contract/media.ts';
import { damaged } from '../strip-metadata/random-access.ts';
import type { Pixels } from './tiff.ts';

/* Numbers of libheif's interface for C. */
const COLOURSPACE_RGB = 1;
const INTERLEAVED_RGB = 10;
const INTERLEAVED_RGBA = 11;
const CHANNEL_INTERLEAVED = 10;
const ERROR_BYTES = 12;
const POINTER_BYTES = 4;

/** Few images are HEIC, so that most decoders never load its 2 MB. */
const libheif = lazily(async () =>
  (await import('libheif-js/libheif-wasm/libheif-bundle.mjs')).default(),
);

/** The memory of libheif, whose functions take and return addresses in it. */
class Memory {
  private readonly allocated: number[] = [];
  private readonly error: number;
  /** Where functions put one result. */
  readonly result: number;

  constructor(private readonly heif: MainModule) {
    this.error = this.allocate(ERROR_BYTES);
    this.result = this.allocate(POINTER_BYTES);
  }

  /** The bytes from an address on. They move when the memory grows, so nobody may keep them. */
  from(address: number): Uint8Array {
    return this.heif.HEAPU8.subarray(address);
  }

  allocate(bytes: number): number {
    const address = this.heif._malloc(bytes);
    if (address === 0) throw damaged(new Error('libheif is out of memory'));
    this.allocated.push(address);
    return address;
  }

  word(address: number): number {
    return new DataView(this.heif.HEAPU8.buffer).getUint32(address, true);
  }

  /** Calls a function that reports an error, and returns its result. Throws a permanent MediaFailure. */
  call(run: (error: number) => void): number {
    run(this.error);
    const code = this.word(this.error);
    if (code) throw damaged(new Error(`libheif: ${code}.${this.word(this.error + 4)}`));
    return this.word(this.result);
  }

  free(): void {
    for (const address of this.allocated) this.heif._free(address);
  }
}

/**
 * Decodes the main image of a HEIC file, upright, and gives its pixels to `use`, which can't keep them.
 * `check` gets the size before anything is decoded. Throws a permanent MediaFailure for an unreadable file,
 * and what `check` and `use` throw.
 */
export async function decodeHeic(
  file: Uint8Array,
  { check, use }: { check: (size: Size) => void; use: (pixels: Pixels) => void },
): Promise<void> {
  const heif = await libheif();
  const memory = new Memory(heif);
  const context = heif._heif_context_alloc();
  let handle = 0;
  let image = 0;
  try {
    const source = memory.allocate(file.length);
    memory.from(source).set(file);
    memory.call((error) =>
      heif._heif_context_read_from_memory_without_copy(error, context, source, file.length, 0),
    );
    handle = memory.call((error) =>
      heif._heif_context_get_primary_image_handle(error, context, memory.result),
    );
    check({
      width: heif._heif_image_handle_get_width(handle),
      height: heif._heif_image_handle_get_height(handle),
    });
    const channels = heif._heif_image_handle_has_alpha_channel(handle) ? 4 : 3;
    const chroma = channels === 4 ? INTERLEAVED_RGBA : INTERLEAVED_RGB;
    image = memory.call((error) =>
      heif._heif_decode_image(error, handle, memory.result, COLOURSPACE_RGB, chroma, 0),
    );
    use({ ...pixelsOf(heif, memory, image), channels, profile: profileOf(heif, memory, handle) });
  } finally {
    if (image) heif._heif_image_release(image);
    if (handle) heif._heif_image_handle_release(handle);
    heif._heif_context_free(context);
    memory.free();
  }
}

function pixelsOf(heif: MainModule, memory: Memory, image: number) {
  const start = heif._heif_image_get_plane_readonly(image, CHANNEL_INTERLEAVED, memory.result);
  return {
    width: heif._heif_image_get_width(image, CHANNEL_INTERLEAVED),
    height: heif._heif_image_get_height(image, CHANNEL_INTERLEAVED),
    data: memory.from(start),
    stride: memory.word(memory.result),
  };
}

/** Returns a copy of an image's ICC profile; null where it has none. */
function profileOf(heif: MainModule, memory: Memory, handle: number): Uint8Array | null {
  const bytes = heif._heif_image_handle_get_raw_color_profile_size(handle);
  if (bytes === 0) return null;
  const start = memory.allocate(bytes);
  memory.call((error) => heif._heif_image_handle_get_raw_color_profile(error, handle, start));
  return memory.from(start).slice(0, bytes);
}
