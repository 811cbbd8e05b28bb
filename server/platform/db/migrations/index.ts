import type { Migration } from 'kysely/migration';
import * as house from './0001_house.ts';
import * as accounts from './0002_accounts.ts';
import * as media from './0003_media.ts';
import * as tus from './0004_tus.ts';
import * as webhooks from './0005_webhooks.ts';
import * as fairness from './0006_fairness.ts';
import * as usage from './0007_usage.ts';
import * as derivatives from './0008_derivatives.ts';
import * as renditions from './0009_renditions.ts';
import * as billing from './0010_billing.ts';
import * as payments from './0011_payments.ts';
import * as admin from './0012_admin.ts';
import * as uploadPrefixes from './0013_upload_prefixes.ts';
import * as deletionHolds from './0014_deletion_holds.ts';
import * as paymentsOwed from './0015_payments_owed.ts';
import * as pendingDeletes from './0016_pending_deletes.ts';
import * as creditedAddresses from './0017_credited_addresses.ts';
import * as webhookOwners from './0018_webhook_owners.ts';
import * as passwordConfirmation from './0019_password_confirmation.ts';
import * as uploadReservations from './0020_upload_reservations.ts';
import * as bandwidthLimits from './0021_bandwidth_limits.ts';
import * as storageLimits from './0022_storage_limits.ts';
import * as generatedImageTotals from './0023_generated_image_totals.ts';
import * as fileLists from './0024_file_lists.ts';
import * as accountExpiry from './0025_account_expiry.ts';
import * as searches from './0026_searches.ts';

import * as pendingDeleteOrder from './0027_pending_delete_order.ts';

import * as dailyCharges from './0028_daily_charges.ts';
import * as queueIndexes from './0029_queue_indexes.ts';
import * as usageFlushes from './0030_usage_flushes.ts';
import * as deleteRetries from './0031_delete_retries.ts';
import * as openChallenges from './0032_open_challenges.ts';
import * as retries from './0033_retries.ts';
import * as accountTotals from './0034_account_totals.ts';
import * as trustedTime from './0035_trusted_time.ts';
import * as accountsBelowZero from './0036_accounts_below_zero.ts';
import * as chunkHashes from './0037_chunk_hashes.ts';
import * as checkoutUrls from './0038_checkout_urls.ts';
import * as fileWarnings from './0039_file_warnings.ts';
import * as jobStarts from './0040_job_starts.ts';
import * as auditAddresses from './0041_audit_addresses.ts';
import * as idempotencyKeys from './0042_idempotency_keys.ts';
import * as turnedImages from './0043_turned_images.ts';
import * as suspendedAccounts from './0044_suspended_accounts.ts';
import * as creditLimits from './0045_credit_limits.ts';
import * as banTimes from './0046_ban_times.ts';
import * as paymentChecks from './0050_payment_checks.ts';
import * as paymentWebhooks from './0051_payment_webhooks.ts';
import * as dailyBandwidthLimits from './0055_daily_bandwidth_limits.ts';
import * as deliveryRules from './0056_delivery_rules.ts';
import * as paidCredit from './0060_paid_credit.ts';
import * as paths from './0070_paths.ts';
import * as mediaTable from './0072_media_table.ts';
import * as blobs from './0073_blobs.ts';
import * as blobHashes from './0076_blob_hashes.ts';
import * as apiKeys from './0077_api_keys.ts';
import * as uploadSessions from './0078_upload_sessions.ts';
import * as fileSizes from './0079_file_sizes.ts';
import * as fileFields from './0080_file_fields.ts';
import * as retention from './0081_retention.ts';
import * as folderJobs from './0082_folder_jobs.ts';
import * as uploadRules from './0083_upload_rules.ts';
import * as replacements from './0084_replacements.ts';
import * as blobDurations from './0085_blob_durations.ts';
import * as keepOriginals from './0086_keep_originals.ts';
import * as expiryRules from './0087_expiry_rules.ts';
import * as zips from './0089_zips.ts';
import * as folderCopies from './0090_folder_copies.ts';
import * as s3Keys from './0091_s3_keys.ts';
import * as bucketS3Names from './0093_bucket_s3_names.ts';
import * as objectHeaders from './0094_object_headers.ts';
import * as multipartUploads from './0095_multipart_uploads.ts';
import * as usageChanges from './0096_usage_changes.ts';
import * as eventOutbox from './0097_event_outbox.ts';
import * as blobPictures from './0098_blob_pictures.ts';
import * as folderJobFailures from './0099_folder_job_failures.ts';
import * as objectVersions from './0100_object_versions.ts';
import * as setupSteps from './0102_setup_steps.ts';
import * as processS3 from './0103_process_s3.ts';
import * as requests from './0104_requests.ts';
import * as s3Imports from './0109_s3_imports.ts';
import * as s3BucketAccess from './0113_s3_bucket_access.ts';
import * as accessTokens from './0116_access_tokens.ts';
import * as webhookRequests from './0117_webhook_requests.ts';
import * as trustedBrowsers from './0118_trusted_browsers.ts';
import * as stats from './0120_stats.ts';
import * as backupRecords from './0121_backup_records.ts';
import * as fileRequests from './0126_file_requests.ts';
import * as loginMethods from './0127_login_methods.ts';
import * as bucketSources from './0128_bucket_sources.ts';
import * as importKeys from './0130_import_keys.ts';
import * as versionSets from './0130b_version_sets.ts';
import * as purgedPaths from './0134_purged_paths.ts';
import * as exclusionGenerations from './0135_exclusion_generations.ts';

/** Append only: a migration that has been released is never changed, moved or removed. */
export const migrations: Record<string, Migration> = {
  '0001_house': house,
  '0002_accounts': accounts,
  '0003_media': media,
  '0004_tus': tus,
  '0005_webhooks': webhooks,
  '0006_fairness': fairness,
  '0007_usage': usage,
  '0008_derivatives': derivatives,
  '0009_renditions': renditions,
  '0010_billing': billing,
  '0011_payments': payments,
  '0012_admin': admin,
  '0013_upload_prefixes': uploadPrefixes,
  '0014_deletion_holds': deletionHolds,
  '0015_payments_owed': paymentsOwed,
  '0016_pending_deletes': pendingDeletes,
  '0017_credited_addresses': creditedAddresses,
  '0018_webhook_owners': webhookOwners,
  '0019_password_confirmation': passwordConfirmation,
  '0020_upload_reservations': uploadReservations,
  '0021_bandwidth_limits': bandwidthLimits,
  '0022_storage_limits': storageLimits,
  '0023_generated_image_totals': generatedImageTotals,
  '0024_file_lists': fileLists,
  '0025_account_expiry': accountExpiry,
  '0026_searches': searches,
  '0027_pending_delete_order': pendingDeleteOrder,
  '0028_daily_charges': dailyCharges,
  '0029_queue_indexes': queueIndexes,
  '0030_usage_flushes': usageFlushes,
  '0031_delete_retries': deleteRetries,
  '0032_open_challenges': openChallenges,
  '0033_retries': retries,
  '0034_account_totals': accountTotals,
  '0035_trusted_time': trustedTime,
  '0036_accounts_below_zero': accountsBelowZero,
  '0037_chunk_hashes': chunkHashes,
  '0038_checkout_urls': checkoutUrls,
  '0039_file_warnings': fileWarnings,
  '0040_job_starts': jobStarts,
  '0041_audit_addresses': auditAddresses,
  '0042_idempotency_keys': idempotencyKeys,
  '0043_turned_images': turnedImages,
  '0044_suspended_accounts': suspendedAccounts,
  '0045_credit_limits': creditLimits,
  '0046_ban_times': banTimes,
  '0050_payment_checks': paymentChecks,
  '0051_payment_webhooks': paymentWebhooks,
  '0055_daily_bandwidth_limits': dailyBandwidthLimits,
  '0056_delivery_rules': deliveryRules,
  '0060_paid_credit': paidCredit,
  '0070_paths': paths,
  '0072_media_table': mediaTable,
  '0073_blobs': blobs,
  '0076_blob_hashes': blobHashes,
  '0077_api_keys': apiKeys,
  '0078_upload_sessions': uploadSessions,
  '0079_file_sizes': fileSizes,
  '0080_file_fields': fileFields,
  '0081_retention': retention,
  '0082_folder_jobs': folderJobs,
  '0083_upload_rules': uploadRules,
  '0084_replacements': replacements,
  '0085_blob_durations': blobDurations,
  '0086_keep_originals': keepOriginals,
  '0087_expiry_rules': expiryRules,
  '0089_zips': zips,
  '0090_folder_copies': folderCopies,
  '0091_s3_keys': s3Keys,
  '0093_bucket_s3_names': bucketS3Names,
  '0094_object_headers': objectHeaders,
  '0095_multipart_uploads': multipartUploads,
  '0096_usage_changes': usageChanges,
  '0097_event_outbox': eventOutbox,
  '0098_blob_pictures': blobPictures,
  '0099_folder_job_failures': folderJobFailures,
  '0100_object_versions': objectVersions,
  '0102_setup_steps': setupSteps,
  '0103_process_s3': processS3,
  '0104_requests': requests,
  '0109_s3_imports': s3Imports,
  '0113_s3_bucket_access': s3BucketAccess,
  '0116_access_tokens': accessTokens,
  '0117_webhook_requests': webhookRequests,
  '0118_trusted_browsers': trustedBrowsers,
  '0120_stats': stats,
  '0121_backup_records': backupRecords,
  '0126_file_requests': fileRequests,
  '0127_login_methods': loginMethods,
  '0128_bucket_sources': bucketSources,
  '0130_import_keys': importKeys,
  '0130b_version_sets': versionSets,
  '0134_purged_paths': purgedPaths,
  '0135_exclusion_generations': exclusionGenerations,
};
