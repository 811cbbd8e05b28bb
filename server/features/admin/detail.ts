/** How the reference describes a call of the admin's. */
export const detail = (summary: string) => ({
  detail: { summary, tags: ['Admin'], security: [{ session: [] }] },
});
