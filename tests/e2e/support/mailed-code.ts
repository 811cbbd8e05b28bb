import { expect, type Locator, type Page } from '@playwright/test';
import { readCode } from '../../support/client/outbox.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { activate, focusOn } from './keyboard.ts';
import { expectToast } from './toasts.ts';

/**
 * Presses Enter on the focused deletion button and confirms the dialog with the mailed code, after a
 * wrong code was refused.
 */
export async function deleteByCode(
  page: Page,
  server: ServerProcess,
  { dialog, email }: { dialog: Locator; email: string },
) {
  const requestedAt = Date.now();
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Code')).toBeFocused();
  const code = await readCode(server.outbox, email, requestedAt);
  await page.keyboard.type(code === 999_999 ? '100000' : '999999');
  await page.keyboard.press('Enter');
  await expectToast(page, 'That code is incorrect or has expired.');
  await focusOn(dialog.getByLabel('Code'));
  await page.keyboard.type(String(code));
  await activate(page, dialog.getByRole('button', { name: 'Delete', exact: true }));
}
