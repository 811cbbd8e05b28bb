export { balanceOf, type Posting, post } from './ledger.ts';
export { giveSignupCredit } from './signup-credit.ts';
