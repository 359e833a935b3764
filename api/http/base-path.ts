/** The base path of all operations, except those at the root. */
export const API_BASE = '/api/v1';

/** The path at the end of the base URL for identity providers. */
export const SCIM_BASE = `${API_BASE}/scim/v2`;
