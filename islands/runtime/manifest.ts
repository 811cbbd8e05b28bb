/** Every island by the name that pages use. Its file is called '<name>-island'. */
export const islands = {
  login: () => import('../accounts/sign-in/login-island.tsx'),
  signup: () => import('../accounts/sign-in/signup-island.tsx'),
  'forgot-password': () => import('../accounts/sign-in/forgot-password-island.tsx'),
  profile: () => import('../accounts/profile/profile-island.tsx'),
  'undo-email-change': () => import('../accounts/profile/undo-email-change-island.tsx'),
  home: () => import('../home/home-island.tsx'),
  'bucket-picker': () => import('../buckets/list/bucket-picker-island.tsx'),
  'api-key': () => import('../tokens/api-key-island.tsx'),
  s3: () => import('../s3/s3-island.tsx'),
  overview: () => import('../usage/overview-island.tsx'),
  settings: () => import('../buckets/settings/settings-island.tsx'),
  files: () => import('../files/files-island.tsx'),
  billing: () => import('../billing/billing-island.tsx'),
  'payment-return': () => import('../billing/payment-return-island.tsx'),
  'admin-overview': () => import('../admin/admin-overview-island.tsx'),
  'admin-buckets': () => import('../admin/lists/admin-buckets-island.tsx'),
  'admin-users': () => import('../admin/lists/admin-users-island.tsx'),
  'admin-operations': () => import('../admin/operations/admin-operations-island.tsx'),
  'admin-logs': () => import('../admin/lists/admin-logs-island.tsx'),
};

/** The dialog that any call may open. */
export const loadPasswordDialog = () => import('../accounts/password-dialog.tsx');

/** What uploads need beside the pages. */
export const loadUploadHost = () => import('../uploads/upload-host.tsx');

export type IslandName = keyof typeof islands;
