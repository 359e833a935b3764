/** Names the ways in which servers differ from what the gateway expects of their wire. */

/**
 * The deviations that an endpoint's row in the catalog may list. Without any, a server of OpenAI's wire receives what
 * most of them understand.
 * - `developer_role`: the server knows the role `developer`. Others receive `system`.
 * - `no_stream_options`: the server refuses `stream_options`. The gateway also learns this from a refusal.
 * - `reasoning_object`: the server takes the object `reasoning`. Others receive its effort as `reasoning_effort`.
 * - `no_thoughts`: the server refuses thoughts of earlier turns. Others receive them as `reasoning` and
 *   `reasoning_content`.
 * - `response_format_b64_json`: pictures are URLs unless `response_format: "b64_json"` is sent.
 */
export const DEVIATIONS = [
  'developer_role',
  'no_stream_options',
  'reasoning_object',
  'no_thoughts',
  'response_format_b64_json',
] as const;
export type Deviation = (typeof DEVIATIONS)[number];
