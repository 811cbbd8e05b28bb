/** The exports of the account islands that other islands may import. */
export { Deletion, deletionImpactText } from './profile/deletion.tsx';
