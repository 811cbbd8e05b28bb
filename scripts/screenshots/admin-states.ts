import { breakCalls, dialog, failed, menuOf, ownerAt as owner, type Scene } from './scene.ts';

const OLGA = /^Actions for olga/;

/** The admin's menus, drawers and dialogs. */
export const ADMIN_STATES: Scene[] = [
  owner('admin-user', '/admin/users', async (page) => {
    await menuOf(OLGA, 'Details')(page);
    await dialog(page).getByText('Created at').waitFor();
  }),
  owner('admin-grant-refused', '/admin/users', async (page) => {
    await menuOf(OLGA, 'Details')(page);
    await dialog(page).getByLabel('Grant credit, USD').fill('a lot');
    await dialog(page).getByRole('button', { name: 'Grant credit' }).click();
    await dialog(page).getByRole('button', { name: 'Grant credit' }).scrollIntoViewIfNeeded();
  }),
  owner('admin-take', '/admin/users', async (page) => {
    await menuOf(OLGA, 'Details')(page);
    await page.getByLabel('Grant credit, USD').fill('-5000');
    await dialog(page).getByRole('button', { name: 'Grant credit' }).click();
    await page.getByRole('dialog', { name: 'Deduct credit' }).waitFor();
  }),
  owner('admin-bucket', '/admin/buckets', async (page) => {
    await menuOf(/^Actions for Website/, 'Details')(page);
    await dialog(page).getByText('Created at').waitFor();
  }),
  owner('admin-menu', '/admin/users', menuOf(OLGA)),
  owner('admin-ban', '/admin/users', menuOf(OLGA, 'Ban')),
  owner('admin-delete', '/admin/users', menuOf(OLGA, 'Delete')),
  owner('admin-log', '/admin/logs', async (page) => {
    await menuOf(/^Actions for/, 'Details')(page);
    await dialog(page).waitFor();
  }),
  owner('admin-failed', '/admin/users', async (page) => {
    await breakCalls(page, '**/admin/users?*');
    await page.getByRole('button', { name: 'Verified', exact: true }).first().click();
    await failed(page);
  }),
];
