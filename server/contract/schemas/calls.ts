import * as accounts from './accounts.ts';
import * as admin from './admin.ts';
import * as billing from './billing.ts';
import * as buckets from './buckets.ts';
import * as files from './files.ts';

/**
 * The calls that our pages make, with the schemas of their requests and responses. A call without
 * `response` responds with 204. `form` is a body that is sent as a form. A test checks that the
 * routes have these schemas.
 */
export const CALLS = {
  'POST /users/signup': { body: accounts.SignupBody },
  'POST /users/verify': { body: accounts.VerifyBody, response: accounts.SessionAnswer },
  'POST /users/login': { body: accounts.LoginBody, response: accounts.SessionAnswer },
  'POST /users/send/email/no/auth/:p1/:p2': {
    params: accounts.SendCodeParams,
    body: accounts.SendCodeBody,
  },
  'GET /users/mail/status': {
    query: accounts.MailStatusQuery,
    response: accounts.MailStatusAnswer,
  },
  'POST /users/email/undo': { body: accounts.UndoBody, response: accounts.ProfileAnswer },
  'GET /users/profile': { response: accounts.ProfileAnswer },
  'POST /users/email': { form: accounts.RequestCodeBody },
  'PUT /users/email': { body: accounts.ChangeEmailBody },
  'PUT /users/update/password': { body: accounts.ChangePasswordBody },
  'POST /users/empty': { response: accounts.ContentsAnswer },
  'DELETE /users': { body: accounts.DeleteAccountBody },
  'GET /users/sessions': { response: accounts.SessionListAnswer },
  'DELETE /users/sessions/:id': {},
  'DELETE /users/sessions': {},

  'GET /buckets': { query: buckets.BucketListQuery, response: buckets.BucketPageAnswer },
  'POST /buckets': { body: buckets.CreateBucketBody, response: buckets.BucketAnswer },
  'GET /buckets/regions': { response: buckets.RegionsAnswer },
  'GET /buckets/:bucketID': { response: buckets.BucketDetailAnswer },
  'DELETE /buckets/:bucketID': { body: buckets.DeleteBucketBody },
  'PUT /buckets/name/webhook/:bucketID': {
    body: buckets.ChangeBucketBody,
    response: buckets.BucketAnswer,
  },
  'GET /buckets/transforms/:bucketID': { response: buckets.MadeAnswer },
  'PUT /buckets/transforms/:bucketID': {
    body: buckets.TransformsBody,
    response: buckets.BucketAnswer,
  },
  'PUT /buckets/roll/api-key/:bucketID': { response: buckets.KeyAnswer },
  'POST /buckets/is/empty/:bucketID': { response: buckets.BucketContentsAnswer },
  'GET /buckets/webhook/secret/:bucketID': { response: buckets.SecretAnswer },
  'PUT /buckets/roll/webhook-secret/:bucketID': { response: buckets.SecretAnswer },
  'GET /buckets/webhook/deliveries/:bucketID': {
    query: buckets.DeliveryListQuery,
    response: buckets.DeliveryPageAnswer,
  },
  'POST /buckets/webhook/replay/:bucketID/:deliveryID': { response: buckets.DeliveryAnswer },
  'POST /buckets/webhook/test/:bucketID': { response: buckets.DeliveryAnswer },
  'GET /buckets/chart/:bucketID': { query: buckets.ChartQuery, response: buckets.ChartAnswer },
  'POST /buckets/jwt/:bucketID/:expires/:scope': {
    params: buckets.MintParams,
    body: buckets.MintBody,
    response: buckets.TokenAnswer,
  },

  'GET /files/:bucketID': { query: files.FileListQuery, response: files.FilePageAnswer },
  'GET /files/:bucketID/:fileID': { response: files.FileDetailAnswer },
  'DELETE /files/:bucketID/:fileID': {},
  'GET /files/upload/video/:bucketID/:clientID': { response: files.UploadAnswer },
  'DELETE /files/upload/video/:bucketID/:clientID': {},

  'GET /users/balance': { response: billing.BalanceAnswer },
  'GET /billing/costs': { response: billing.CostsAnswer },
  'GET /billing/statements': { response: billing.StatementListAnswer },
  'GET /billing/statements/:month': {
    query: billing.StatementQuery,
    response: billing.StatementOrCsv,
  },
  'GET /payments/user': {
    query: billing.PaymentListQuery,
    response: billing.PaymentPageAnswer,
  },
  'POST /payments/stripe/checkout/:amount': { response: billing.CardCheckoutAnswer },
  'POST /payments/crypto/checkout/:amount': { response: billing.CryptoCheckoutAnswer },
  'GET /payments/stripe/update': { response: billing.UpdateAnswer },

  'GET /admin/overview': { query: admin.OverviewQuery, response: admin.OverviewAnswer },
  'GET /admin/buckets': { query: admin.BucketsQuery, response: admin.AdminBucketPageAnswer },
  'GET /admin/buckets/:bucketID': { response: admin.AdminBucketDetailAnswer },
  'POST /admin/buckets/:bucketID/ban': {},
  'POST /admin/buckets/:bucketID/unban': {},
  'DELETE /admin/buckets/:bucketID': { body: admin.AdminDeleteBucketBody },
  'GET /admin/users': { query: admin.UsersQuery, response: admin.AdminUserPageAnswer },
  'GET /admin/users/:userID': { response: admin.AdminUserDetailAnswer },
  'POST /admin/users/:userID/ban': {},
  'POST /admin/users/:userID/unban': {},
  'DELETE /admin/users/:userID': { body: admin.AdminDeleteUserBody },
  'POST /admin/users/:userID/credit': { body: admin.GrantBody, response: admin.CreditAnswer },
  'GET /admin/logs': { query: admin.LogsQuery, response: admin.LogPageAnswer },
  'DELETE /admin/logs/:logID': {},
  'GET /admin/payments/owed': { query: admin.OwedQuery, response: admin.OwedPageAnswer },
  'GET /admin/jobs': { response: admin.JobsAnswer },
  'POST /admin/jobs/:jobID/retry': {},
} as const;
