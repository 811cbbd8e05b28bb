/**
 * The keyboard shortcuts. Each presses or focuses the element whose `data-shortcut` has its keys,
 * if the page has one.
 */
export const SHORTCUTS = {
  search: { keys: '/', text: 'Search, or choose a bucket' },
  overview: { keys: 'g o', text: 'Overview of the bucket' },
  files: { keys: 'g f', text: 'Files of the bucket' },
  apiKey: { keys: 'g k', text: 'API key of the bucket' },
  settings: { keys: 'g s', text: 'Settings of the bucket' },
  uploadImage: { keys: 'u', text: 'Upload images' },
  uploadVideo: { keys: 'U', text: 'Upload videos' },
  uploads: { keys: 'g u', text: 'Uploads: expand or collapse' },
  help: { keys: '?', text: 'Show these keys' },
} as const;
