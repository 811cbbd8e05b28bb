import type { Page } from '@playwright/test';
import {
  breakCalls,
  dialog,
  failed,
  holdCalls,
  type Ids,
  menuOf,
  ownerAt as owner,
  type Scene,
} from './scene.ts';

const PHOTO = /^Actions for red-panda/;

/** Another view of the files: they are requested again. */
const narrow = (page: Page) => page.getByRole('button', { name: 'Private', exact: true }).click();

/** The table of a bucket's files, and all about one. */
export const fileStates = ({
  full,
  suspended,
  file,
  video,
  failed: bad,
  underWay,
}: Ids): Scene[] => [
  owner('file-menu', `/dashboard/files/${full}`, menuOf(PHOTO)),
  owner('file', `/dashboard/files/${full}?file=${file}`, (page) =>
    page.getByText('SHA-256').waitFor(),
  ),
  owner('file-urls', `/dashboard/files/${full}?file=${video}`, (page) =>
    dialog(page)
      .getByRole('heading', { name: 'URLs' })
      .evaluate((it) => it.scrollIntoView()),
  ),
  owner('file-video', `/dashboard/files/${full}?file=${video}`, (page) =>
    page.getByText('SHA-256').waitFor(),
  ),
  owner('file-failed', `/dashboard/files/${full}?file=${bad}`, (page) =>
    dialog(page).getByText('Created at').waitFor(),
  ),
  owner('file-under-way', `/dashboard/files/${full}?file=${underWay}`, (page) =>
    dialog(page).getByText('Created at').waitFor(),
  ),
  owner('file-missing', `/dashboard/files/${full}?file=01somebodyelsesfile0000000`, (page) =>
    dialog(page).getByText('File not found').waitFor(),
  ),
  owner('file-delete', `/dashboard/files/${full}`, menuOf(PHOTO, 'Delete')),
  owner('files-loading', `/dashboard/files/${full}`, async (page) => {
    await holdCalls(page, '**/files/*?*');
    await narrow(page);
  }),
  owner('files-failed', `/dashboard/files/${full}`, async (page) => {
    await breakCalls(page, '**/files/*?*');
    await narrow(page);
    await failed(page);
  }),
  owner('toasts', `/dashboard/files/${full}`, async (page) => {
    for (const name of [PHOTO, /^Actions for harbour-at-dawn.jpg/]) {
      await menuOf(name, 'Copy URL')(page);
    }
  }),
  { name: 'suspended-files', path: `/dashboard/files/${suspended}`, as: 'debtor' },
];
