import { signUp } from '../../support/client/api.ts';
import { payingAt } from '../../support/payments/payment-fixture.ts';
import { expect } from '../fixtures.ts';
import { expectNothingAside, expectSound } from '../support/look.ts';
import { test } from '../support/payments.ts';
import { giveSession, newAddress, PASSWORD } from '../support/people.ts';
import { expectToast } from '../support/toasts.ts';

test('the admin refunds a part of a payment, which the ledger and the balance show', async ({
  page,
  server,
  admin,
  providers: { stripe, cryptomus },
}) => {
  const email = newAddress('payer');
  const user = await signUp(server, email, PASSWORD);
  const paying = payingAt(server.url, user);
  stripe.pay(stripe.at(await paying.card('20')));
  await paying.back();
  const invoice = cryptomus.at(await paying.crypto('10'));
  cryptomus.pay(invoice, '20', '20', 'paid');
  await cryptomus.deliver(server.url, invoice);

  await giveSession(page, server, admin);
  await page.goto(`/admin/users?user=${user.userId}`);
  const drawer = page.getByRole('dialog', { name: email });
  const payments = drawer.getByRole('region', { name: 'Payments' }).getByRole('listitem');
  await expect(payments).toHaveCount(2);
  const card = payments.filter({ hasText: '$20.00' });
  await expect(card).toContainText('Paid');
  await expectSound(page, drawer);
  await card.getByRole('button', { name: 'Refund' }).click();

  const dialog = page.getByRole('dialog', { name: 'Refund payment' });
  const amount = dialog.getByLabel('Amount, USD');
  await expect(amount).toHaveValue('20.00');
  await expectSound(page, dialog);
  await amount.fill('20.01');
  await dialog.getByLabel('Reason').fill('Duplicate top-up');
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Enter an amount from $0.01 to $20.00.');
  await amount.fill('2.24');
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await expectToast(page, 'Payment refunded.');
  await expect(dialog).toBeHidden();
  await expect(card).toContainText('$2.24 refunded');
  await expect(drawer).toContainText('$28.76');
  await expect(
    drawer.getByRole('region', { name: 'Ledger' }).getByRole('listitem').first(),
  ).toContainText(/Refund.*-\$2\.24/);
  expect(stripe.refunds).toMatchObject([{ amount: 224 }]);

  // 20 - 2.24 is a fraction less than 17.76.
  await card.getByRole('button', { name: 'Refund' }).click();
  await expect(amount).toHaveValue('17.76');
  await dialog.getByLabel('Reason').fill('The rest');
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await expect(dialog).toBeHidden();
  await expect(card).toContainText('Refunded');

  await payments.filter({ hasText: '$10.00' }).getByRole('button', { name: 'Refund' }).click();
  await expect(dialog.getByRole('checkbox')).toBeChecked();
  await expect(dialog.getByRole('checkbox')).toBeDisabled();
  await dialog.getByLabel('Reason').fill('Sent back by hand');
  await dialog.getByRole('button', { name: 'Record refund' }).click();
  await expectToast(page, 'Refund recorded.');
  await expect(payments.filter({ hasText: '$10.00' })).toContainText('Refunded');
  await expect(drawer).toContainText('$1.00');
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNothingAside(page);
});
