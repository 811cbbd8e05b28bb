import { expect, test } from 'bun:test';
import { mailboxKey } from './mailbox.ts';

test.each([
  ['payer@example.com', 'payer@example.com'],
  ['Payer+shop@Example.com', 'payer@example.com'],
  ['payer+a+b@example.com', 'payer@example.com'],
  ['pay.er@example.com', 'pay.er@example.com'],
  ['p.a.y.er+x@gmail.com', 'payer@gmail.com'],
  ['pay.er@googlemail.com', 'payer@gmail.com'],
  ['pay.er@gmail.com.example', 'pay.er@gmail.com.example'],
  ['+payer@example.com', '+payer@example.com'],
])('%s is in the mailbox %s', (address, mailbox) => {
  expect(mailboxKey(address)).toBe(mailbox);
});
