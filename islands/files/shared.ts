/** The exports of the file islands that other islands may import. */
export { FileThumb } from './file-picture.tsx';
