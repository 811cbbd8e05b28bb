import { Claims } from './claims.tsx';
import { Footer } from './footer.tsx';
import { Hero } from './hero.tsx';
import { type Prices, Pricing } from './pricing.tsx';

export function Landing(site: {
  appUrl: string;
  docsUrl: string | null;
  videoChannelUrl: string | null;
  sourceUrl: string | null;
  prices: Prices;
}) {
  return (
    <>
      <main id="main" className="mx-auto max-w-[1248px] px-4 sm:px-6">
        <Hero appUrl={site.appUrl} docsUrl={site.docsUrl} />
        <Claims />
        <Pricing prices={site.prices} />
      </main>
      <Footer videoChannelUrl={site.videoChannelUrl} sourceUrl={site.sourceUrl} />
    </>
  );
}
