/** Where the operations of the contract live, but for those whose base is the root. */
export const API_BASE = '/api/v1';

/** The base URL that identity providers are given ends with this path. */
export const SCIM_BASE = `${API_BASE}/scim/v2`;
