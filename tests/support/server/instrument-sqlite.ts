import { instrument } from '../../../server/platform/db/sqlite/instrumentation.ts';
import { settleInSeparateTurn } from './separate-turns.ts';
import { watchTransactionAwaits } from './transaction-awaits.ts';

// `bunfig.toml` has every run of tests load this file first.
instrument({ passOn: settleInSeparateTurn, watch: watchTransactionAwaits });
