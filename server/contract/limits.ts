/** Sizes are bytes, times are milliseconds, unless a name says otherwise. */

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const PAGE_SIZE = 50;
/** The most days for which a deleted file can be kept, and the most earlier versions of a file. */
export const MAX_DELETED_DAYS = 90;
export const MAX_VERSIONS = 100;
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 200;
export const EMAIL_MAX = 254;
export const BUCKET_NAME_MAX = 100;
/** How many characters a search of files has. */
export const FILE_SEARCH_MAX = 100;
/** The API keys that a bucket can have beside its primary one. */
export const MAX_API_KEYS = 20;
/** The access tokens with a name that a bucket can have. */
export const MAX_ACCESS_TOKENS = 100;
/** The access keys that an account can have for the S3 API, and the buckets that one can be limited to. */
export const MAX_S3_KEYS = 20;
export const S3_KEY_MAX_BUCKETS = 100;
/** The text of a request that an S3 client was refused. */
export const S3_DIAGNOSIS_MAX_LENGTH = 16_384;
/** How many files a call can delete, move or make public or private. */
export const BULK_MAX_FILES = 1000;
/** How many files a ZIP can have. */
export const ZIP_MAX_FILES = 10_000;
/** How long the link to a ZIP is valid. */
export const ZIP_LINK_TTL_MS = 10 * MINUTE;
/** How long the metadata of a file can be as JSON. */
export const FILE_METADATA_MAX_BYTES = 2 * KIB;
export const FILE_NAME_MAX = 255;
export const WEBHOOK_MAX = 2048;
/** How long the URL of an import can be. Presigned ones are long. */
export const IMPORT_URL_MAX = 8192;
/** How many events of a webhook a call sends again. */
export const MAX_REPLAYED_EVENTS = 1000;

export const IMAGE_MAX_BYTES = 50 * MIB;
/** The product of width, height and frames. */
export const IMAGE_MAX_PIXELS = 100_000_000;
export const VIDEO_CHUNK_BYTES = 9 * MIB;
export const UPLOAD_TTL_MS = DAY;
/** How long the upload of a file stays for a retry whose processing has failed. */
export const FAILED_UPLOAD_TTL_MS = 7 * DAY;

export const CODE_TTL_MS = 10 * MINUTE;
export const CODE_TRIES = 5;
export const SESSION_TTL_MS = 30 * DAY;
/** A session that nobody uses ends earlier: a device that was lost or sold may still have it. */
export const SESSION_IDLE_TTL_MS = 14 * DAY;
/** How long after the password was entered sensitive actions don't ask for it. */
export const PASSWORD_CONFIRMATION_TTL_MS = 10 * MINUTE;
export const SIGNUP_TTL_MS = DAY;

/** How much an account stores that has only had its sign-up credit, where payments are enabled. */
export const TRIAL_STORAGE_BYTES = 10 * GIB;
/** The largest limit of what an account stores, or of what a bucket sends in a month. */
export const LIMIT_MAX_BYTES = 1024 * 1024 * GIB;

/** How long a suspended bucket's files are still delivered. */
export const SUSPENSION_GRACE_HOURS = 72;
export const SUSPENSION_GRACE_MS = SUSPENSION_GRACE_HOURS * HOUR;

export const SOCKET_RECONNECT_DELAY_MS = 3 * SECOND;
/** The close code for an ended session, from the range that RFC 6455 reserves for applications. */
export const SESSION_ENDED_CODE = 4401;
/** A search starts after this much time without typing. */
export const SEARCH_DEBOUNCE_MS = 800;

/** How long the deletion of a bucket or an account goes on before those of other accounts get their turn. */
export const DELETION_TURN_MS = 5 * SECOND;
