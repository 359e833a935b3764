/** Settings of a gateway whose streams begin with comments unless the provider answers at once. */
export const EARLY_HEADERS = { STREAM_HEADERS_AFTER: '100ms' };
