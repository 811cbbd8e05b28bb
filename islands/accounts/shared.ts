/** What other subjects may use of accounts. */
export { count, Deletion, deletionImpactText } from './profile/deletion.tsx';
