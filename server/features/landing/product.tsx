import { assets } from '../../web/assets/assets.ts';
import { PRODUCT_SCREENS, type ProductTheme, productPicture } from './product-pictures.ts';
import { Section } from './section.tsx';

/** The page after login, as a picture in the theme of the page. */
export function Product() {
  return (
    <Section
      id="product"
      title="See how your files are doing"
      text="Storage, bandwidth, requests and your newest files, as soon as you log in."
      isRaised
    >
      <div className="mx-auto mt-8 max-sm:max-w-sm">
        <Picture theme="dark" shown="in-data-[theme=wharf-light]:hidden" />
        <Picture theme="light" shown="in-data-[theme=wharf-dark]:hidden" />
      </div>
    </Section>
  );
}

/** A lazy image that is not displayed is not loaded, so each visitor loads one picture. */
function Picture({ theme, shown }: { theme: ProductTheme; shown: string }) {
  const { url } = assets();
  return (
    <picture className={shown}>
      <source
        {...PRODUCT_SCREENS.narrow}
        media="(width < 40rem)"
        srcSet={url(productPicture('narrow', theme))}
      />
      <img
        {...PRODUCT_SCREENS.wide}
        src={url(productPicture('wide', theme))}
        alt="The dashboard: storage, bandwidth and requests of this month, the newest files with thumbnails, and a card for each bucket."
        loading="lazy"
        decoding="async"
        className="h-auto w-full rounded-lg border border-base-300 bg-base-100"
      />
    </picture>
  );
}
