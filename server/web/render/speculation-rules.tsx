import { jsonForScript, rawRequest } from '../http/raw-request.ts';

/**
 * Pages of the dashboard are fetched while a pointer rests on their link. They are only fetched, not
 * run: what their scripts do is for whoever goes there.
 */
const RULES = {
  prefetch: [
    {
      where: {
        and: [
          {
            or: ['/dashboard', '/dashboard/*', '/profile', '/billing', '/admin/*'].map((path) => ({
              href_matches: path,
            })),
          },
          { not: { selector_matches: '[target=_blank], [download]' } },
        ],
      },
      eagerness: 'moderate',
    },
  ],
};

/** Browsers that know no speculation rules take it for data. */
export const SpeculationRules = ({ nonce }: { nonce: string }) => (
  <script type="speculationrules" nonce={nonce} {...rawRequest(jsonForScript(RULES))} />
);
