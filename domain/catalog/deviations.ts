/** Names the ways in which servers differ from what the gateway expects of their wire. */

/**
 * The deviations that an endpoint's row in the catalog may list. Without any, a server of OpenAI's wire receives what
 * most of them understand.
 * - `developer_role`: the server knows the role `developer`. Others receive `system`.
 * - `no_stream_options`: the server refuses `stream_options`. The gateway also learns this from a refusal.
 * - `reasoning_object`: the server takes the object `reasoning`. Others receive its effort as `reasoning_effort`.
 * - `no_thoughts`: the server refuses thoughts of earlier turns. Others receive them as `reasoning` and
 *   `reasoning_content`.
 * - `no_reasoned_tools`: the server takes tools in a chat only if the model does not reason. Tools and reasoning
 *   together need `POST /responses`.
 * - `response_format_b64_json`: pictures are URLs unless `response_format: "b64_json"` is sent.
 * - `max_tokens`: the server knows the limit of an answer only by this name, not as `max_completion_tokens`.
 * - `random_seed`: the server calls `seed` so.
 * - `text_content`: the server takes content as one text. Parts are joined if all of them are texts.
 * - `reasoning_name`: the server takes thoughts of earlier turns as `reasoning`, and refuses `reasoning_content`.
 * - `thinking_switch`: the server switches thoughts on and off by `thinking: { type }`, beside `reasoning_effort`.
 * - `no_names`: the server refuses `name` in messages.
 */
export const DEVIATIONS = [
  'developer_role',
  'no_stream_options',
  'reasoning_object',
  'no_thoughts',
  'no_reasoned_tools',
  'response_format_b64_json',
  'max_tokens',
  'random_seed',
  'text_content',
  'reasoning_name',
  'thinking_switch',
  'no_names',
] as const;
export type Deviation = (typeof DEVIATIONS)[number];
