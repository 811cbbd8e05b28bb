import * as accessTokens from './access-tokens.ts';
import * as accounts from './accounts.ts';
import * as admin from './admin.ts';
import * as apiKeys from './api-keys.ts';
import * as billing from './billing.ts';
import * as buckets from './buckets.ts';
import * as bulk from './bulk-changes.ts';
import { IdempotencyHeaders } from './fields.ts';
import * as files from './files.ts';
import * as folderJobs from './folder-jobs.ts';
import * as home from './home.ts';
import * as imports from './imports.ts';
import * as s3Keys from './s3-keys.ts';
import * as webhooks from './webhooks.ts';
import * as zips from './zips.ts';

/**
 * The calls that our pages make, with the schemas of their requests and responses. A call without
 * `response` responds with 204. `form` is a body that is sent as a form. A test checks that the
 * routes have these schemas.
 */
export const CALLS = {
  'POST /users/signup': { body: accounts.SignupBody },
  'POST /users/verify': { body: accounts.VerifyBody, response: accounts.SessionResponse },
  'POST /users/login': { body: accounts.LoginBody, response: accounts.SessionResponse },
  'POST /users/login/trusted': {
    body: accounts.TrustedLoginBody,
    response: accounts.SessionResponse,
  },
  'POST /users/send/email/no/auth/:p1/:p2': {
    params: accounts.SendCodeParams,
    body: accounts.SendCodeBody,
  },
  'GET /users/mail/status': {
    query: accounts.MailStatusQuery,
    response: accounts.MailStatusResponse,
  },
  'POST /users/email/undo': { body: accounts.UndoBody, response: accounts.ProfileResponse },
  'GET /users/profile': { response: accounts.ProfileResponse },
  'POST /users/email': { form: accounts.RequestCodeBody },
  'PUT /users/email': { body: accounts.ChangeEmailBody },
  'PUT /users/update/password': { body: accounts.ChangePasswordBody },
  'POST /users/confirm/password': { body: accounts.ConfirmPasswordBody },
  'POST /users/empty': { response: accounts.ContentsResponse },
  'DELETE /users': { body: accounts.DeleteAccountBody },
  'GET /users/sessions': { response: accounts.SessionListResponse },
  'GET /users/logins': { response: accounts.LoginListResponse },
  'DELETE /users/sessions/:id': {},
  'DELETE /users/sessions': {},
  'GET /users/trusted-browsers': { response: accounts.TrustedBrowserListResponse },
  'DELETE /users/trusted-browsers/:id': {},

  'GET /buckets': { query: buckets.BucketListQuery, response: buckets.BucketPageResponse },
  'POST /buckets': {
    headers: IdempotencyHeaders,
    body: buckets.CreateBucketBody,
    response: buckets.BucketResponse,
  },
  'GET /buckets/regions': { response: buckets.RegionsResponse },
  'GET /buckets/:bucketID': { response: buckets.BucketDetailResponse },
  'DELETE /buckets/:bucketID': { body: buckets.DeleteBucketBody },
  'PUT /buckets/name/webhook/:bucketID': {
    body: buckets.ChangeBucketBody,
    response: buckets.BucketResponse,
  },
  'GET /buckets/transforms/:bucketID': { response: buckets.TransformsResponse },
  'PUT /buckets/transforms/:bucketID': {
    body: buckets.TransformsBody,
    response: buckets.BucketResponse,
  },
  'PUT /buckets/bandwidth-limit/:bucketID': {
    body: buckets.BandwidthLimitBody,
    response: buckets.BucketResponse,
  },
  'PUT /buckets/delivery-rules/:bucketID': {
    body: buckets.DeliveryRulesBody,
    response: buckets.BucketResponse,
  },
  'PUT /buckets/retention/:bucketID': {
    body: buckets.RetentionBody,
    response: buckets.BucketResponse,
  },
  'PUT /buckets/upload-rules/:bucketID': {
    body: buckets.UploadRulesBody,
    response: buckets.BucketResponse,
  },
  'PUT /buckets/s3/:bucketID': { body: buckets.S3SettingsBody, response: buckets.BucketResponse },
  'GET /buckets/api-key/:bucketID': { response: buckets.KeyResponse },
  'PUT /buckets/roll/api-key/:bucketID': { response: buckets.KeyResponse },
  'GET /buckets/api-keys/:bucketID': { response: apiKeys.ApiKeyListResponse },
  'POST /buckets/api-keys/:bucketID': {
    body: apiKeys.CreateApiKeyBody,
    response: apiKeys.CreatedApiKeyResponse,
  },
  'DELETE /buckets/api-keys/:bucketID/:keyID': {},
  'GET /buckets/tokens/:bucketID': { response: accessTokens.AccessTokenListResponse },
  'DELETE /buckets/tokens/:bucketID/:tokenID': {},
  'GET /s3-keys': { response: s3Keys.S3KeyListResponse },
  'POST /s3-keys': { body: s3Keys.CreateS3KeyBody, response: s3Keys.CreatedS3KeyResponse },
  'POST /s3-keys/diagnosis': {
    body: s3Keys.S3DiagnosisBody,
    response: s3Keys.S3DiagnosisResponse,
  },
  'DELETE /s3-keys/:keyID': {},
  'POST /buckets/is/empty/:bucketID': { response: buckets.BucketContentsResponse },
  'GET /buckets/webhook/secret/:bucketID': { response: webhooks.WebhookSecretResponse },
  'PUT /buckets/roll/webhook-secret/:bucketID': { response: webhooks.WebhookSecretResponse },
  'GET /buckets/webhook/attempts/:bucketID': {
    query: webhooks.WebhookAttemptListQuery,
    response: webhooks.WebhookAttemptPageResponse,
  },
  'GET /buckets/webhook/attempts/:bucketID/:attemptID': {
    response: webhooks.WebhookAttemptDetailResponse,
  },
  'POST /buckets/webhook/replay/:bucketID': {
    body: webhooks.ReplayWebhookAttemptsBody,
    response: webhooks.ReplayedWebhookAttemptsResponse,
  },
  'POST /buckets/webhook/replay/:bucketID/:attemptID': {
    response: webhooks.WebhookAttemptResponse,
  },
  'POST /buckets/webhook/test/:bucketID': {
    headers: IdempotencyHeaders,
    response: webhooks.WebhookAttemptResponse,
  },
  'GET /buckets/chart/:bucketID': { query: buckets.ChartQuery, response: buckets.ChartResponse },
  'GET /buckets/top-files/:bucketID': {
    query: buckets.TopFilesQuery,
    response: buckets.TopFilesResponse,
  },
  'POST /buckets/jwt/:bucketID/:expires/:scope': {
    params: buckets.MintParams,
    body: buckets.MintBody,
    response: buckets.TokenResponse,
  },

  'GET /files/folder/:bucketID': {
    query: files.FolderQuery,
    response: files.FolderPageResponse,
  },
  'POST /files/folder/:bucketID': { body: files.FolderBody, response: files.FolderResponse },
  'DELETE /files/folder/:bucketID': { query: files.FolderPathQuery },
  'GET /files/trash/:bucketID': {
    query: files.TrashQuery,
    response: files.TrashPageResponse,
  },
  'DELETE /files/trash/:bucketID': {},
  'DELETE /files/trash/:bucketID/:fileID': {},
  'GET /files/:bucketID/:fileID/versions': { response: files.VersionListResponse },
  'POST /files/:bucketID/:fileID/restore': {
    query: files.RestoreQuery,
    response: files.FileResponse,
  },
  'POST /files/folder-jobs/:bucketID': {
    body: folderJobs.FolderJobBody,
    response: folderJobs.FolderJobResponse,
  },
  'GET /files/folder-jobs/:bucketID': { response: folderJobs.FolderJobsResponse },
  'GET /files/folder-jobs/:bucketID/:jobID': { response: folderJobs.FolderJobResponse },
  'DELETE /files/folder-jobs/:bucketID/:jobID': { response: folderJobs.FolderJobResponse },
  'GET /files/:bucketID': { query: files.FileListQuery, response: files.FilePageResponse },
  'GET /files/:bucketID/:fileID': { response: files.FileDetailResponse },
  'PATCH /files/:bucketID/:fileID': { body: files.FileChange, response: files.FileResponse },
  'DELETE /files/:bucketID/:fileID': {},
  'POST /files/:bucketID/:fileID/retry': {},
  'POST /files/copy/:bucketID/:fileID': { body: bulk.CopyBody, response: files.FileResponse },
  'POST /files/bulk/copy/:bucketID': { body: bulk.BulkCopyBody, response: bulk.BulkResponse },
  'POST /files/zip/:bucketID': { body: zips.ZipBody, response: zips.ZipResponse },
  'POST /files/bulk/restore/:bucketID': {
    body: bulk.BulkRestoreBody,
    response: bulk.BulkResponse,
  },
  'POST /files/bulk/purge/:bucketID': { body: bulk.BulkPurgeBody, response: bulk.BulkResponse },
  'POST /files/bulk/delete/:bucketID': { body: bulk.BulkDeleteBody, response: bulk.BulkResponse },
  'POST /files/bulk/move/:bucketID': { body: bulk.BulkMoveBody, response: bulk.BulkResponse },
  'POST /files/bulk/access/:bucketID': { body: bulk.BulkAccessBody, response: bulk.BulkResponse },
  'POST /files/s3-imports/:bucketID': {
    body: imports.S3ImportBody,
    response: imports.S3ImportResponse,
  },
  'GET /files/s3-imports/:bucketID': { response: imports.S3ImportsResponse },
  'GET /files/s3-imports/:bucketID/:importID': { response: imports.S3ImportResponse },
  'DELETE /files/s3-imports/:bucketID/:importID': { response: imports.S3ImportResponse },
  'GET /buckets/source/:bucketID': { response: imports.FoundBucketSourceResponse },
  'PUT /buckets/source/:bucketID': {
    body: imports.BucketSourceBody,
    response: imports.BucketSourceResponse,
  },
  'DELETE /buckets/source/:bucketID': {},
  'DELETE /buckets/source/:bucketID/exclusions': {},
  'POST /files/import/:bucketID': {
    body: imports.UrlImportBody,
    response: files.FileResponse,
  },
  'GET /files/upload/video/:bucketID/:clientID': { response: files.UploadResponse },
  'GET /files/upload/image/:bucketID/:clientID': { response: files.UploadResponse },
  'DELETE /files/upload/video/:bucketID/:clientID': {},

  'GET /users/summary': { response: home.SummaryResponse },
  'GET /users/balance': { response: billing.BalanceResponse },
  'GET /billing/costs': { response: billing.CostsResponse },
  'GET /billing/charges/:day': {
    query: billing.DayChargesQuery,
    response: billing.DayChargesResponse,
  },
  'GET /billing/statements': { response: billing.StatementListResponse },
  'GET /billing/statements/:month': {
    query: billing.StatementQuery,
    response: billing.StatementOrCsv,
  },
  'GET /payments/user': {
    query: billing.PaymentListQuery,
    response: billing.PaymentPageResponse,
  },
  'POST /payments/stripe/checkout/:amount': {
    headers: IdempotencyHeaders,
    response: billing.CardCheckoutResponse,
  },
  'POST /payments/crypto/checkout/:amount': {
    headers: IdempotencyHeaders,
    response: billing.CryptoCheckoutResponse,
  },
  'GET /payments/stripe/update': { response: billing.UpdateResponse },

  'GET /admin/overview': { query: admin.OverviewQuery, response: admin.OverviewResponse },
  'GET /admin/buckets': { query: admin.BucketsQuery, response: admin.AdminBucketPageResponse },
  'GET /admin/buckets/:bucketID': { response: admin.AdminBucketDetailResponse },
  'POST /admin/buckets/:bucketID/ban': {},
  'POST /admin/buckets/:bucketID/unban': {},
  'DELETE /admin/buckets/:bucketID': { body: admin.AdminDeleteBucketBody },
  'GET /admin/users': { query: admin.UsersQuery, response: admin.AdminUserPageResponse },
  'GET /admin/users/:userID': { response: admin.AdminUserDetailResponse },
  'POST /admin/users/:userID/ban': {},
  'POST /admin/users/:userID/unban': {},
  'DELETE /admin/users/:userID': { body: admin.AdminDeleteUserBody },
  'POST /admin/users/:userID/credit': { body: admin.GrantBody, response: admin.CreditResponse },
  'PUT /admin/users/:userID/storage-limit': { body: admin.StorageLimitBody },
  'GET /admin/logs': { query: admin.LogsQuery, response: admin.LogPageResponse },
  'DELETE /admin/logs/:logID': {},
  'GET /admin/users/:userID/payments': {
    query: admin.PlainListQuery,
    response: admin.AdminPaymentPageResponse,
  },
  'GET /admin/users/:userID/ledger': {
    query: admin.PlainListQuery,
    response: admin.LedgerPageResponse,
  },
  'POST /admin/payments/:paymentID/refund': {
    body: admin.RefundBody,
    response: admin.AdminPaymentResponse,
  },
  'GET /admin/payments/owed': { query: admin.PlainListQuery, response: admin.OwedPageResponse },
  'GET /admin/operations': { response: admin.OperationsResponse },
  'GET /admin/jobs': { response: admin.JobsResponse },
  'POST /admin/jobs/:jobID/retry': {},
} as const;
