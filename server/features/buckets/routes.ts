import { Elysia } from 'elysia';
import {
  BandwidthLimitBody,
  BucketContentsResponse,
  BucketDetailResponse,
  BucketListQuery,
  BucketPageResponse,
  BucketResponse,
  ChangeBucketBody,
  CreateBucketBody,
  DeleteBucketBody,
  DeliveryRulesBody,
  RegionsResponse,
  RetentionBody,
  S3SettingsBody,
  StorageResponse,
  TransformsBody,
  UploadRulesBody,
} from '../../contract/schemas/buckets.ts';
import { IdempotencyHeaders } from '../../contract/schemas/fields.ts';
import type { RegionRouter } from '../../platform/region-routing.ts';
import type { KeyRing } from '../../platform/secrets/secrets.ts';
import { sessionDetail } from '../../web/http/openapi-responses.ts';
import { clientReader, sessionGuard } from '../accounts/guard.ts';
import type { Accounts } from '../accounts/service.ts';
import { accessTokenRoutes } from './access-tokens/access-token-routes.ts';
import { apiKeyRoutes } from './api-keys/api-key-routes.ts';
import type { Buckets } from './service.ts';

const detail = sessionDetail('Buckets');

type BucketRouteServices = {
  accounts: Accounts;
  buckets: Buckets;
  regionRouter: RegionRouter;
  appUrl: string;
  browserKeys: KeyRing;
  trustedHops: number;
  countryHeader: string | null;
};

/** Returns the calls for buckets, which need a session of their owner. */
export const bucketRoutes = (services: BucketRouteServices) => [
  collectionRoutes(services),
  settingsRoutes(services),
  contentRoutes(services),
  bandwidthRoutes(services),
  ...apiKeyRoutes(services),
  accessTokenRoutes(services),
  deletionRoutes(services),
];

function collectionRoutes({ accounts, buckets, regionRouter }: BucketRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/buckets/', ({ session, query }) => buckets.list(session.userId, query), {
      session: true,
      query: BucketListQuery,
      response: BucketPageResponse,
      ...detail('listBuckets', 'List buckets, newest first'),
    })
    .post(
      '/buckets/',
      async ({ session, headers, body, status }) =>
        status(201, await buckets.create(session.userId, body, headers['idempotency-key'])),
      {
        session: true,
        headers: IdempotencyHeaders,
        body: CreateBucketBody,
        response: { 201: BucketResponse },
        ...detail('createBucket', 'Create a bucket'),
      },
    )
    .get('/users/storage', ({ session }) => buckets.quotas.storageOf(session.userId), {
      session: true,
      response: StorageResponse,
      ...detail('getStorage', 'Get how many bytes the account stores, and its limit'),
    })
    .get('/buckets/regions', () => ({ regions_with_storage: regionRouter.regionsWithStorage }), {
      session: true,
      response: RegionsResponse,
      ...detail(
        'listRegions',
        "List the regions that have their own storage; the others use this server's",
      ),
    });
}

function settingsRoutes({ accounts, buckets }: BucketRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/buckets/:bucketID',
      async ({ session, params }) => {
        const { api_key, ...bucket } = await buckets.getWithKey(session.userId, params.bucketID);
        return { ...bucket, api_key: accounts.password.isConfirmed(session) ? api_key : null };
      },
      {
        session: true,
        response: BucketDetailResponse,
        ...detail(
          'getBucket',
          'Get a bucket; its API key is null if the password was entered over 10 minutes ago',
        ),
      },
    )
    .put(
      '/buckets/name/webhook/:bucketID',
      ({ session, params, body }) =>
        buckets.settings.setNameAndWebhook(session.userId, params.bucketID, body),
      {
        session: true,
        body: ChangeBucketBody,
        response: BucketResponse,
        ...detail('updateBucket', 'Update the name and webhook; an empty webhook disables it'),
      },
    )
    .put(
      '/buckets/delivery-rules/:bucketID',
      ({ session, params, body }) =>
        buckets.settings.setDeliveryRules(session.userId, params.bucketID, body),
      {
        session: true,
        body: DeliveryRulesBody,
        response: BucketResponse,
        ...detail(
          'updateDeliveryRules',
          'Set who may open the files, how often, and how long caches keep addresses by path',
        ),
      },
    )
    .put(
      '/buckets/transforms/:bucketID',
      ({ session, params, body }) =>
        buckets.settings.setTransforms(session.userId, params.bucketID, body.policy),
      {
        session: true,
        body: TransformsBody,
        response: BucketResponse,
        ...detail(
          'updateTransforms',
          'Allow or disallow other image sizes and formats: open or off',
        ),
      },
    );
}

/** The calls that set what a bucket accepts, and what it keeps. */
function contentRoutes({ accounts, buckets }: BucketRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .put(
      '/buckets/retention/:bucketID',
      ({ session, params, body }) =>
        buckets.settings.setRetention(session.userId, params.bucketID, body),
      {
        session: true,
        body: RetentionBody,
        response: BucketResponse,
        ...detail(
          'updateRetention',
          'Set for how many days deleted files are kept, how many versions, whether originals are, and when files expire',
        ),
      },
    )
    .put(
      '/buckets/upload-rules/:bucketID',
      ({ session, params, body }) =>
        buckets.settings.setUploadRules(session.userId, params.bucketID, body),
      {
        session: true,
        body: UploadRulesBody,
        response: BucketResponse,
        ...detail(
          'updateUploadRules',
          'Set which types and sizes of files are accepted, and how much the bucket may store',
        ),
      },
    )
    .put(
      '/buckets/s3/:bucketID',
      ({ session, params, body }) => buckets.settings.setS3(session.userId, params.bucketID, body),
      {
        session: true,
        body: S3SettingsBody,
        response: BucketResponse,
        ...detail(
          'updateObjectStorage',
          'Set the name by which S3 clients know the bucket, and whether what they put is processed',
          {
            409: 'Another bucket of the account has this S3 name, or the bucket is being deleted.',
          },
        ),
      },
    );
}

function bandwidthRoutes({ accounts, buckets }: BucketRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .put(
      '/buckets/bandwidth-limit/:bucketID',
      ({ session, params, body }) =>
        buckets.settings.setBandwidthLimits(session.userId, params.bucketID, body),
      {
        session: true,
        body: BandwidthLimitBody,
        response: BucketResponse,
        ...detail(
          'updateBandwidthLimit',
          'Limit the bytes delivered per UTC month or day; null for no limit',
        ),
      },
    );
}

function deletionRoutes(services: BucketRouteServices) {
  const { accounts, buckets } = services;
  const clientOf = clientReader(services);

  return new Elysia()
    .use(sessionGuard(accounts))
    .post(
      '/buckets/is/empty/:bucketID',
      ({ session, params }) => buckets.previewDeletion(session.userId, params.bucketID),
      {
        session: true,
        response: BucketContentsResponse,
        ...detail('previewBucketDeletion', 'Preview what deleting the bucket would delete'),
      },
    )
    .delete(
      '/buckets/:bucketID',
      async ({ session, params, body, set, request, server }) => {
        const bucket = await buckets.ownedBy(session.userId, params.bucketID);
        const purpose = 'delete-bucket' as const;
        const form = { purpose, code: body.email_token, bucketId: bucket.id };
        const client = clientOf({ set, request, server });
        await accounts.profile.confirmed(session, form, client, async (tx) => {
          await buckets.deletion.start(tx, bucket.id, { userId: session.userId });
        });
        await buckets.deletion.announce({ bucketId: bucket.id });
        set.status = 204;
      },
      {
        session: true,
        body: DeleteBucketBody,
        ...detail('deleteBucket', 'Delete a bucket and all its files, using the emailed code', {
          204: 'Deletion started. Delivery has stopped.',
          409: 'It is already being deleted.',
        }),
      },
    );
}
