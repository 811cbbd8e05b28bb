/** Told before a press of 'Logout' ends the session; who would lose something by it prevents it, and asks. */
export const LOGOUT = 'wharf:logout';
