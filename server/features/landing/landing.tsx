import { Claims } from './claims.tsx';
import { Clip } from './clip.tsx';
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
      <main id="main">
        <Hero appUrl={site.appUrl} docsUrl={site.docsUrl} />
        <Claims />
        <Clip />
        <Pricing prices={site.prices} />
      </main>
      <Footer videoChannelUrl={site.videoChannelUrl} sourceUrl={site.sourceUrl} />
    </>
  );
}
