import { instrument } from '../../../server/platform/db/sqlite/instrumentation.ts';
import { watchForeignAwaits } from './foreign-await.ts';
import { inOwnTurn } from './own-turn.ts';

// `bunfig.toml` has every run of tests load this file first.
instrument({ passOn: inOwnTurn, watch: watchForeignAwaits });
