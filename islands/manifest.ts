/** Every island by the name pages call it. The file's name is that name and '-island'. */
export const islands = {
  login: () => import('./accounts/login-island.tsx'),
  signup: () => import('./accounts/signup-island.tsx'),
  'forgot-password': () => import('./accounts/forgot-password-island.tsx'),
  profile: () => import('./accounts/profile-island.tsx'),
  'undo-email-change': () => import('./accounts/undo-email-change-island.tsx'),
  'bucket-list': () => import('./buckets/bucket-list-island.tsx'),
  'bucket-picker': () => import('./buckets/bucket-picker-island.tsx'),
  'api-key': () => import('./tokens/api-key-island.tsx'),
  overview: () => import('./usage/overview-island.tsx'),
  settings: () => import('./buckets/settings-island.tsx'),
  files: () => import('./files/files-island.tsx'),
  billing: () => import('./billing/billing-island.tsx'),
  'payment-return': () => import('./billing/payment-return-island.tsx'),
  'admin-overview': () => import('./admin/admin-overview-island.tsx'),
  'admin-buckets': () => import('./admin/admin-buckets-island.tsx'),
  'admin-users': () => import('./admin/admin-users-island.tsx'),
  'admin-logs': () => import('./admin/admin-logs-island.tsx'),
};

export type IslandName = keyof typeof islands;
