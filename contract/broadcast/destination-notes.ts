/** Descriptions of a destination's fields, for requests and answers. */
export const NOTES = {
  api_key_hashes: 'Hashes of the only keys whose generations are sent. Null: all keys.',
  cost: 'Sends the cost of the generation.',
  cost_allocation: 'Sends the cost of each kind of token, if these costs add up to the bill.',
  identity: 'Sends user, external user, name and hash of the key, organization and workspace.',
  request_context: 'Sends referer, title, user agent and country of the request.',
  privacy_mode: 'Sends neither prompts nor answers.',
  regions: 'The data regions whose generations are sent.',
  sampling_rate:
    'The share of sessions, or of traces without a session, that is sent. A higher rate also sends everything that a lower rate sends.',
  config:
    'The configuration of the type. Fields that the type does not have are refused. Responses mask secrets, the values of headers, and the parts of a URL that may be secret: `abcd...wxyz`, or `...` for fewer than 20 characters.',
} as const;
