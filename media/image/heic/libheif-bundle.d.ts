declare module 'libheif-js/libheif-wasm/libheif-bundle.mjs' {
  export { default, type MainModule } from 'libheif-js/libheif-wasm/libheif';
}
