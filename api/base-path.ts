/** Where the operations of the contract live, but for those whose base is the root. */
export const API_BASE = '/api/v1';
