import type { Page } from '@playwright/test';
import { answerCalls, dialog, ownerAt as owner, type Scene } from './scene.ts';

const FILES = '/dashboard/files/:folders';

const REMOTE = {
  ...{ endpoint: 'https://minio.harbour.example', region: 'us-east-1', bucket: 'photos' },
  ...{ prefix: '2026/', folder: '', access: 'private' },
};

const IMPORT = {
  ...REMOTE,
  ...{ id: '01importofabucket000000000', date: '2026-11-02T09:30:00.000Z', ended: null },
  ...{ status: 'running', copied: 1240, skipped: 310, failed: 0, bytes: 5_230_000_000 },
  ...{ error: null, failures: [] },
};

const FAILURES = ['2026/fog.jpg', '2026/harbour-master-with-a-very-long-name-and-more.jpg'].map(
  (key) => ({
    key,
    error: { code: 'upstream-unavailable', message: 'The S3 server did not answer in time.' },
  }),
);

const open = (item: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await dialog(page).getByRole('button').first().waitFor();
};

/** The dialog of S3 imports, with what the calls answer. */
const withImports =
  ({ imports = [], source = null }: { imports?: object[]; source?: object | null }) =>
  async (page: Page) => {
    await answerCalls(page, '**/files/s3-imports/*', { data: imports });
    await answerCalls(page, '**/buckets/source/*', { source });
    await open('Import from S3')(page);
  };

/** Adding files of other servers. */
export const IMPORT_STATES: Scene[] = [
  owner('upload-files', FILES, open('Upload Files')),
  owner('import-url', FILES, open('Import from URL')),
  owner('import-url-refused', FILES, async (page) => {
    await open('Import from URL')(page);
    await dialog(page).getByLabel('URL', { exact: true }).fill('http://127.0.0.1/harbour.jpg');
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await dialog(page).getByRole('alert').waitFor();
  }),
  owner('import-url-running', FILES, async (page) => {
    await page.route('**/files/import/*', () => {});
    await open('Import from URL')(page);
    await dialog(page).getByLabel('URL', { exact: true }).fill('https://example.com/harbour.jpg');
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
  }),
  owner('import-s3', FILES, open('Import from S3')),
  owner('import-s3-running', FILES, withImports({ imports: [IMPORT] })),
  owner(
    'import-s3-failed',
    FILES,
    withImports({
      imports: [{ ...IMPORT, status: 'failed', failed: 2, failures: FAILURES, ended: IMPORT.date }],
      source: { ...REMOTE, date: IMPORT.date, error: 'The S3 server did not answer in time.' },
    }),
  ),
];
