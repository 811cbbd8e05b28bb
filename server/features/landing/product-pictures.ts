/** The screens of which the pictures of the dashboard are taken, in CSS pixels. Phones get the narrow one. */
export const PRODUCT_SCREENS = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 390, height: 640 },
} as const;

export type ProductScreen = keyof typeof PRODUCT_SCREENS;
export type ProductTheme = 'dark' | 'light';

/** Returns the logical name of a picture among the built files, and of its file in this folder. */
export const productPicture = (screen: ProductScreen, theme: ProductTheme) =>
  `product-${screen}-${theme}.avif`;

/** All pictures of the dashboard, which scripts/product.ts takes. */
export const PRODUCT_PICTURES = (['wide', 'narrow'] as const).flatMap((screen) =>
  (['dark', 'light'] as const).map((theme) => ({
    screen,
    theme,
    name: productPicture(screen, theme),
  })),
);
