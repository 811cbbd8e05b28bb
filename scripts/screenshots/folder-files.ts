import { uploadFile } from '../../tests/support/client/api.ts';
import { makePdf } from '../../tests/support/fixtures/make-pdf.ts';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';

type Bucket = { id: string; api_key: string };

const NOTES = `# Opening day

The gates open at 9. Boats leave from the north pier each hour.

- Posters are at the printer, 200 of them.
- The crane is back on Thursday.
`;

/** Files of a bucket by their paths. A path that comes again replaces the file. */
const FILES: [path: string, contents: string | Uint8Array][] = [
  ['notes/opening-day.md', '# Opening day\n'],
  ['notes/opening-day.md', NOTES.slice(0, 80)],
  ['notes/opening-day.md', NOTES],
  ['notes/2025/last-year.md', '# Last year\n'],
  ['guides/harbour-map.pdf', makePdf({ pages: ['Harbour map', 'North pier', 'South pier'] })],
  ['berths.csv', 'berth,length,free\nA1,12,yes\nA2,14,no\nB1,9,yes\n'],
  ['drafts/old-poster.txt', 'Come and see the boats.'],
  ['drafts/older-poster.txt', 'See the boats.'],
];

/**
 * Fills a bucket with folders, a file with earlier versions, and two files in the trash.
 * @param token of a session of its owner
 * @returns the ids of a text with earlier versions and of a PDF
 */
export async function addFolders(server: ServerProcess, bucket: Bucket, token: string) {
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${server.url}${path}`, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  await call('PUT', `/buckets/retention/${bucket.id}`, { keep_deleted_days: 30, keep_versions: 5 });
  const ids = new Map<string, string>();
  for (const [path, contents] of FILES) {
    const bytes = typeof contents === 'string' ? new TextEncoder().encode(contents) : contents;
    const fields = { path, on_conflict: 'replace' };
    const { id } = await uploadFile(server, bucket, 'file', fields, bytes, path);
    ids.set(path, id);
  }
  for (const [path, id] of ids) {
    if (path.startsWith('drafts/')) await call('DELETE', `/files/${bucket.id}/${id}`);
  }
  const idOf = (path: string) => {
    const id = ids.get(path);
    if (!id) throw new Error(`There is no ${path}.`);
    return id;
  };
  return { text: idOf('notes/opening-day.md'), pdf: idOf('guides/harbour-map.pdf') };
}
