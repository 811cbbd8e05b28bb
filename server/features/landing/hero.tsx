import { docsLink } from '../../web/docs-link.ts';
import { UploadExample } from './upload-example.tsx';

export function Hero({ appUrl, docsUrl }: { appUrl: string; docsUrl: string | null }) {
  return (
    <section className="grid items-center gap-x-16 gap-y-12 py-16 lg:grid-cols-[1.1fr_1fr] lg:py-28">
      <div>
        <h1 className="text-4xl leading-[1.1] font-semibold tracking-tight text-balance sm:text-5xl">
          Upload, Store, and Deliver Files with Confidence
        </h1>
        <p className="mt-6 max-w-xl text-lg text-pretty text-quiet">
          Power your content with our Cloud Storage, CDN, and Optimization Services. Forget the
          hassle, we handle the scaling.
        </p>
        <div className="mt-8 flex flex-wrap gap-3">
          <a href="/signup" className="btn btn-primary h-11 px-5 text-base">
            Get Started for Free
          </a>
          <a
            href={docsLink(docsUrl)}
            target="_blank"
            rel="noreferrer"
            className="btn btn-outline h-11 px-5 text-base"
          >
            Documentation
          </a>
        </div>
      </div>
      <UploadExample appUrl={appUrl} />
    </section>
  );
}
