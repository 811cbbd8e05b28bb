import type { PaymentWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';

export const getCredit = async () => (await call('GET /users/balance')).credit;

export const getPayments = (cursor: string) =>
  call('GET /payments/user', { query: { cursor, limit: 50 } });

/** Both answer the provider's page. */
export const payByCard = async (amount: string) =>
  (await call('POST /payments/stripe/checkout/:amount', { params: { amount } })).url;
export const payByCrypto = async (amount: string) =>
  (await call('POST /payments/crypto/checkout/:amount', { params: { amount } })).result.url;

export const updatePayments = () => call('GET /payments/stripe/update');

export const getCosts = () => call('GET /billing/costs');

export const getStatements = async () => (await call('GET /billing/statements')).data;

/** A month's statement as a file for a spreadsheet. */
export const getStatementCsv = async (month: string) =>
  String(
    await call('GET /billing/statements/:month', { params: { month }, query: { format: 'csv' } }),
  );

export type Methods = { card: boolean; crypto: boolean };
export type PaymentStatus = PaymentWire['status'];
