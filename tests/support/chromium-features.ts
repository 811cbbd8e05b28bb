/**
 * Playwright's own list, which a switch of ours replaces: Chromium heeds the last one only. A test holds
 * it to Playwright's.
 */
const OF_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/**
 * The list under Chromium's address bar is two pages of its own, loaded for every new window: a second
 * of processor time for each test, though nobody sees the bar.
 */
const OF_ADDRESS_BAR = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxSimplification',
];

/** What browser tests turn off in Chromium, as a switch for its command line. */
export const withoutFeatures: string = `--disable-features=${[...OF_PLAYWRIGHT, ...OF_ADDRESS_BAR].join()}`;
