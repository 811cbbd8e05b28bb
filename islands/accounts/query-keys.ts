/** Under which the answers of the profile's calls are kept. */
export const PROFILE_KEY = ['profile'];
export const SESSIONS_KEY = ['sessions'];
