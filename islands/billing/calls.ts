import type { PaymentWire } from '../../server/contract/wire.ts';
import { api, call } from '../runtime/api.ts';

export const getCredit = async () => (await call(api.users.balance.get())).credit;

export const getPayments = (cursor: string) =>
  call(api.payments.user.get({ query: { cursor, limit: 50 } }));

/** Both answer the provider's page. */
export const payByCard = async (amount: string) =>
  (await call(api.payments.stripe.checkout({ amount }).post())).url;
export const payByCrypto = async (amount: string) =>
  (await call(api.payments.crypto.checkout({ amount }).post())).result.url;

export const updatePayments = () => call(api.payments.stripe.update.get());

export const getCosts = () => call(api.billing.costs.get());

export const getStatements = async () => (await call(api.billing.statements.get())).data;

/** A month's statement as a file for a spreadsheet. */
export const getStatementCsv = async (month: string) =>
  String(await call(api.billing.statements({ month }).get({ query: { format: 'csv' } })));

export type Methods = { card: boolean; crypto: boolean };
export type PaymentStatus = PaymentWire['status'];
