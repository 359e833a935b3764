/** Explains why providers have not accepted a video job. */

/** The explanation of the reasons that refused submissions have. */
export const REASONS_EXPLAINED = [
  '`rate_limited`: the provider limits the rate of requests.',
  '`overloaded`: it has no capacity.',
  '`server_error`: it failed.',
  '`not_connected`: it could not be reached.',
  '`no_answer`: it gave no answer.',
  '`not_available`: it does not offer the model to the account, or rejects the account.',
  '`request_refused`: it rejects the request.',
  '`content_policy`: its policy rejects the content.',
  '`interrupted`: the gateway stopped during the submission.',
].join(' ');
