/**
 * Asks a model with the `@anthropic-ai/sdk` package and prints its answer. The package adds `/v1` to the base URL
 * itself.
 */
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  // This client adds /v1 itself.
  baseURL: (process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1').replace(/\/v1$/, ''),
  apiKey: process.env['API_KEY'],
});

const answer = await client.messages.create({
  model: 'local/echo-1',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello there' }],
});
for (const block of answer.content) if (block.type === 'text') console.log(block.text);
