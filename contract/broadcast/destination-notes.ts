/** Descriptions of a destination's fields, for requests and answers. */
export const NOTES = {
  api_key_hashes: 'Hashes of the only keys whose generations are sent. Null: all keys.',
  cost: 'Sends what a generation cost.',
  cost_allocation: 'Sends the cost of each kind of token, where these costs add up to the bill.',
  identity: 'Sends user, external user, name and hash of the key, organization and workspace.',
  request_context: 'Sends referer, title, user agent and country of the request.',
  privacy_mode: 'Sends neither prompts nor answers.',
  regions: 'The data regions whose generations are sent.',
  sampling_rate:
    'The share of sessions, or of traces without a session, that is sent. What a lower rate sends, a higher rate sends too.',
  config:
    'The configuration of the type. Fields that the type does not have are refused. Answers show secrets and the values of headers masked: `abcd...wxyz`.',
} as const;
