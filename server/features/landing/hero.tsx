import { docsLink } from '../../web/layout/docs-link.ts';
import { Proof } from './proof.tsx';
import { WIDTH } from './section.tsx';

export function Hero({ appUrl, docsUrl }: { appUrl: string; docsUrl: string | null }) {
  return (
    <section
      className={`${WIDTH} grid items-center gap-x-16 gap-y-12 pt-12 pb-16 sm:pt-16 lg:grid-cols-[1fr_1.05fr] lg:py-24`}
    >
      <div>
        <h1 className="text-4xl leading-[1.08] font-semibold tracking-tight text-balance sm:text-5xl xl:text-6xl">
          Upload, Store, and Deliver Files with Confidence
        </h1>
        <p className="mt-6 max-w-xl text-lg text-pretty text-quiet">
          Power your content with our Cloud Storage, CDN, and Optimization Services. Forget the
          hassle, we handle the scaling.
        </p>
        <div className="mt-8 flex gap-3 max-sm:flex-col">
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
      <Proof appUrl={appUrl} />
    </section>
  );
}
