import { Elysia } from 'elysia';
import {
  type SettingsSection,
  toSettingsSection,
} from '../../contract/buckets/settings-sections.ts';
import { MESSAGES, settingsTitle } from '../../contract/messages.ts';
import type { BucketWire, Page, WebhookAttemptWire } from '../../contract/wire.ts';
import { badRequest, notFound } from '../../errors.ts';
import type { RegionRouter } from '../../platform/region-routing.ts';
import { canServeSites } from '../../web/http/own-address.ts';
import { Island } from '../../web/islands/island.tsx';
import { BucketFrame } from '../../web/layout/bucket-frame.tsx';
import { type PrivateSite, privatePage } from '../../web/render/page.tsx';

type Services = PrivateSite & {
  buckets: {
    get(userId: string, bucketId: string): Promise<BucketWire>;
  };
  webhooks: {
    deliveries(userId: string, bucketId: string, range: object): Promise<Page<WebhookAttemptWire>>;
  };
  regionRouter: RegionRouter;
  appUrl: string;
};

/** Mounts the pages of the settings of a bucket. */
export function bucketPages(services: Services) {
  const { buckets, webhooks, regionRouter, appUrl } = services;

  const settingsPage = (request: Request, bucketId: string, section: SettingsSection | null) =>
    privatePage(services, request, async (viewer) => {
      const bucket = await buckets.get(viewer.userId, bucketId);
      if (section === null) throw notFound('Page');
      const deliveries =
        section === 'webhook'
          ? await webhooks.deliveries(viewer.userId, bucket.id, {})
          : { data: [], nextId: null };
      const { email, hasS3 = false } = viewer;
      const { cdnUrl } = regionRouter(bucket.region);
      const siteUrl = canServeSites(cdnUrl, appUrl) ? `${cdnUrl}/${bucket.id}/~/` : null;
      const props = { section, first: bucket, deliveries, email, siteUrl, hasS3 };
      return {
        title: settingsTitle(bucket.name),
        at: bucket,
        body: (
          <BucketFrame bucket={bucket} current="/dashboard/settings">
            <Island name="settings" props={props} />
          </BucketFrame>
        ),
      };
    });

  return new Elysia({ name: 'bucket-pages', detail: { hide: true } })
    .get('/dashboard/settings', ({ request }) =>
      privatePage(services, request, async () => {
        throw badRequest(MESSAGES.missingBucketIdSettings);
      }),
    )
    .get('/dashboard/settings/:bucketID', ({ request, params }) =>
      settingsPage(request, params.bucketID, 'general'),
    )
    .get('/dashboard/settings/:bucketID/:section', ({ request, params }) =>
      settingsPage(request, params.bucketID, toSettingsSection(params.section)),
    );
}
