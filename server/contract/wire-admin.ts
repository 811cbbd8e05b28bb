import type { Static } from 'elysia';
import type {
  AdminBucketDetailAnswer,
  AdminBucketPageAnswer,
  AdminUserDetailAnswer,
  AdminUserPageAnswer,
  JobsAnswer,
  LogPageAnswer,
  OverviewAnswer,
  OverviewQuery,
  OwedPageAnswer,
} from './schemas/admin.ts';

/** What the admin's calls answer. Dates are ISO 8601 UTC, sizes bytes, amounts USD. */

export type AdminOverviewQuery = Static<typeof OverviewQuery>;
export type AdminOverviewWire = Static<typeof OverviewAnswer>;

export type AdminBucketWire = Static<typeof AdminBucketPageAnswer>['data'][number];
export type AdminBucketDetailWire = Static<typeof AdminBucketDetailAnswer>;

export type AdminUserWire = Static<typeof AdminUserPageAnswer>['data'][number];
export type AdminUserDetailWire = Static<typeof AdminUserDetailAnswer>;
export type AdminUserStatus = AdminUserWire['status'];

export type AdminLogWire = Static<typeof LogPageAnswer>['data'][number];
export type AdminUserRef = AdminBucketDetailWire['owner'];

export type AdminJobsWire = Static<typeof JobsAnswer>;
export type AdminJobWire = AdminJobsWire['jobs'][number];

export type AdminOwedWire = Static<typeof OwedPageAnswer>['data'][number];
