/** The path of a field in a responses request, by the start of its path in a chat request. */
const PLACES: readonly (readonly [chat: RegExp, responses: string])[] = [
  // The index is dropped, because items and messages have different indexes.
  [/^body\.messages\b.*/, 'body.input'],
  [/^body\.max_(completion_)?tokens\b/, 'body.max_output_tokens'],
  [/^body\.response_format\b/, 'body.text.format'],
  [/^body\.verbosity\b/, 'body.text.verbosity'],
  [/^body\.reasoning_effort\b/, 'body.reasoning.effort'],
  [/^body\.logprobs\b/, 'body.top_logprobs'],
  [/^(body\.tools\.\d+)\.function\b/, '$1'],
];

export function toResponsesPath(chatPath: string): string {
  for (const [chat, responses] of PLACES) {
    if (chat.test(chatPath)) return chatPath.replace(chat, responses);
  }
  return chatPath;
}
