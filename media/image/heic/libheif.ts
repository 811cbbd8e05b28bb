import type { MainModule } from 'libheif-js/libheif-wasm/libheif-bundle.mjs';
import { KIB } from '../../../server/contract/limits.ts';
import { memoizeAsync } from '../../../server/contract/memoize.ts';
import { damaged } from '../../strip-metadata/random-access.ts';

const ERROR_BYTES = 12;
const POINTER_BYTES = 4;
/** WebAssembly's memory has whole pages. */
const PAGE_BYTES = 64 * KIB;

/** What the bundle passes to a module that instantiates itself. */
type Hooks = {
  wasmBinary?: Uint8Array;
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports;
};

/** Few images are HEIC, so that most decoders never load its 2 MB. */
const loadBundle = memoizeAsync(
  async () => (await import('libheif-js/libheif-wasm/libheif-bundle.mjs')).default,
);
/** Compiling takes 50 ms, and the code is the same for all images. */
let compiled: WebAssembly.Module | undefined;

/**
 * An instance of libheif with memory of its own. Its HEVC decoder shows what the memory contained before, in
 * the place of slices that a file lacks, so an instance is used for one image, and `reset` before each tile.
 * Nothing that was allocated has to be freed.
 */
export class Libheif {
  /** The memory before the first call, without the pages of zeros that follow. */
  private readonly pristine: Uint8Array;
  private error = 0;
  /** Where functions put one result. */
  result = 0;

  private constructor(readonly calls: MainModule) {
    const memory: Uint8Array = calls.HEAPU8;
    const zeros = new Uint8Array(PAGE_BYTES);
    let end = memory.length;
    while (Buffer.compare(memory.subarray(end - PAGE_BYTES, end), zeros) === 0) end -= PAGE_BYTES;
    this.pristine = memory.slice(0, end);
  }

  static async start(): Promise<Libheif> {
    const hooks: Hooks = {
      instantiateWasm(imports, receive) {
        compiled ??= new WebAssembly.Module(this.wasmBinary as BufferSource);
        const instance = new WebAssembly.Instance(compiled, imports);
        receive(instance);
        return instance.exports;
      },
    };
    return new Libheif(await (await loadBundle())(hooks));
  }

  /** Makes the memory as it was before the first call, and everything that was allocated invalid. */
  reset(): void {
    const memory: Uint8Array = this.calls.HEAPU8;
    memory.set(this.pristine);
    memory.fill(0, this.pristine.length);
    this.error = this.allocate(ERROR_BYTES);
    this.result = this.allocate(POINTER_BYTES);
  }

  /** The bytes from an address on. They move when the memory grows, so nobody may keep them. */
  from(address: number): Uint8Array {
    return this.calls.HEAPU8.subarray(address);
  }

  allocate(bytes: number): number {
    const address = this.calls._malloc(bytes);
    if (address === 0) throw damaged(new Error('libheif is out of memory'));
    return address;
  }

  word(address: number): number {
    return new DataView(this.calls.HEAPU8.buffer).getUint32(address, true);
  }

  words(address: number, count: number): number[] {
    return Array.from({ length: count }, (_, at) => this.word(address + at * POINTER_BYTES));
  }

  /** Calls a function that reports an error, and returns its result. Throws a permanent MediaFailure. */
  call(run: (error: number) => void): number {
    try {
      run(this.error);
    } catch (error) {
      // libheif ends where C++ would throw.
      throw damaged(error);
    }
    const code = this.word(this.error);
    if (code) throw damaged(new Error(`libheif: ${code}.${this.word(this.error + 4)}`));
    return this.word(this.result);
  }
}
