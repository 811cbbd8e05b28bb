import type { Access, FileType } from '../../server/contract/wire.ts';

export const TYPES: Record<FileType, string> = { image: 'Image', video: 'Video' };
export const ACCESS: Record<Access, string> = { public: 'Public', private: 'Private' };
