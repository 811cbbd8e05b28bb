import type { Page } from '@playwright/test';
import { answerCalls, dialog, menuOf, ownerAt as owner, press, type Scene } from './scene.ts';

const AT_TOP = '/dashboard/files/:folders?folder=';
const NOTES = /^Actions for notes/;

const JOB = {
  id: '01jobofafolder000000000000',
  action: 'move',
  path: 'notes/',
  target: 'archive/notes/',
  target_bucket_id: null,
  status: 'running',
  done: 1240,
  conflicts: 0,
  failures: [],
  date: '2026-11-02T09:30:00.000Z',
};

const CONFLICT = { code: 'conflict', message: 'Another file is at the new path.' };

/** A job of a folder that runs when the page is opened, and then is as `job` says. */
const withJob = (job: object) => async (page: Page) => {
  await answerCalls(page, '**/files/folder-jobs/*', { data: [JOB] });
  await answerCalls(page, '**/files/folder-jobs/*/*', { ...JOB, ...job });
  await page.reload();
  await page.getByText(/^(Moving|Stopped\.)/).waitFor();
};

/** Selects some of the first files by their boxes, which cards have only once a file is selected. */
async function selectSome(page: Page) {
  await menuOf(/^Actions for gulls.jpg/, 'Select')(page);
  await page.getByRole('checkbox', { name: 'Select fog.jpg' }).check();
}

/** Folders, selections, the trash, and the previews of files that are no media. */
export const FOLDER_STATES: Scene[] = [
  owner('folder-top', AT_TOP, (page) => page.getByRole('link', { name: 'notes' }).waitFor()),
  owner('folder', `${AT_TOP}notes%2F`, (page) =>
    page.getByRole('link', { name: 'opening-day.md' }).waitFor(),
  ),
  owner('folder-empty', `${AT_TOP}nothing%2F`, (page) =>
    page.getByText('This folder is empty.').waitFor(),
  ),
  owner('folder-menu', AT_TOP, menuOf(NOTES)),
  owner('folder-rename', AT_TOP, menuOf(NOTES, 'Rename')),
  owner('folder-move', AT_TOP, menuOf(NOTES, 'Move')),
  owner('folder-copy', AT_TOP, menuOf(NOTES, 'Copy to…')),
  owner('folder-zip', AT_TOP, menuOf(NOTES, 'Download as ZIP')),
  owner('folder-delete', AT_TOP, menuOf(NOTES, 'Delete')),
  owner('folder-new', AT_TOP, press('New folder')),
  owner('folder-job', AT_TOP, withJob({})),
  owner('folder-job-left', AT_TOP, withJob({ status: 'stopped', conflicts: 2 })),
  owner('folder-job-files', AT_TOP, async (page) => {
    const failures = ['notes/opening-day.md', 'notes/2025/last-year.md'].map((path) => ({
      ...{ path, error: CONFLICT },
    }));
    await withJob({ status: 'stopped', conflicts: 2, failures })(page);
    await press('Show files')(page);
  }),
  owner('file-text', '/dashboard/files/:folders?file=:text', async (page) => {
    await press('Show the text')(page);
    await page.getByText('The gates open at 9.').waitFor();
  }),
  owner('file-versions', '/dashboard/files/:folders?file=:text', (page) =>
    page.getByRole('heading', { name: 'Earlier versions' }).evaluate((it) => it.scrollIntoView()),
  ),
  owner('file-pdf', '/dashboard/files/:folders?file=:pdf', async (page) => {
    await press('Show the PDF')(page);
    await page.frameLocator('iframe').getByRole('figure').first().waitFor();
  }),
  owner('trash', '/dashboard/files/:folders?trash=1', (page) =>
    page.getByText('old-poster.txt').first().waitFor(),
  ),
  owner('trash-purge', '/dashboard/files/:folders?trash=1', async (page) => {
    await page.getByText('old-poster.txt').first().waitFor();
    await press('Empty trash')(page);
    await dialog(page).waitFor();
  }),
  owner('files-grid', '/dashboard/files/:full?view=grid', (page) =>
    page.getByText('red-panda.jpg').first().waitFor(),
  ),
  owner('files-selected', '/dashboard/files/:full', selectSome),
  owner('files-move', '/dashboard/files/:full', async (page) => {
    await selectSome(page);
    await page.getByRole('toolbar').getByRole('button', { name: 'Move' }).click();
    await dialog(page).waitFor();
  }),
  owner('files-copy', '/dashboard/files/:full', async (page) => {
    await menuOf(/^Actions for red-panda/, 'Copy to…')(page);
    await dialog(page).waitFor();
  }),
  owner('file-rename', '/dashboard/files/:full', menuOf(/^Actions for red-panda/, 'Rename')),
];
